// SPDX-License-Identifier: Apache-2.0

/// Settings that came from outside are not legal; it lists everything that is wrong with them at
/// once.
///
/// Thrown where a policy is made from a `Configuration`, such as
/// ``Bulkhead/init(validating:clock:observer:)``. Settings that stand in the code go through the
/// other initialisers, which stop the program with the same words.
public struct ConfigurationError: Error, Sendable, Hashable {
  /// One setting that is not legal.
  public struct Violation: Sendable, Hashable {
    /// The name of the setting, such as `halfOpen.permits`.
    public let option: String
    /// The value that it has.
    public let value: String
    /// What is legal, such as "it must be more than zero".
    public let rule: String

    /// Makes a violation.
    public init(option: String, value: String, rule: String) {
      self.option = option
      self.value = value
      self.rule = rule
    }
  }

  /// What was to be made, such as `CircuitBreaker`.
  public let subject: String
  /// What is wrong, in the order in which the settings are documented; at least one.
  public let violations: [Violation]

  /// Makes an error.
  public init(subject: String, violations: [Violation]) {
    self.subject = subject
    self.violations = violations
  }
}

extension ConfigurationError.Violation: CustomStringConvertible {
  /// Setting, value and rule in one sentence.
  public var description: String { "\(option): \(value) is not legal: \(rule)" }
}

extension ConfigurationError: CustomStringConvertible {
  /// All violations in one line.
  public var description: String {
    "\(subject)(\(violations.map(\.description).joined(separator: "; ")))"
  }
}

extension ConfigurationError: AppErrorConvertible {
  /// What a person reads: that the app is set up wrongly; the violations are in the details.
  public var appError: AppError {
    AppError(
      .configuration, details: description, metadata: ["configuration.subject": subject],
      at: SourceSite(function: "ConfigurationError.appError"))
  }
}

extension BuiltInError {
  static let configuration = BuiltInError(
    "configuration.invalid", .configuration, .permanent,
    title: "Something is set up wrongly",
    message: "A setting has a value that cannot be used, so this part does not work.",
    suggestion: "Please tell the people who run this app or service.")
}

/// Collects what is wrong with settings.
package struct Violations {
  package private(set) var all: [ConfigurationError.Violation] = []

  package init() {}

  /// Notes a setting unless it is legal.
  package mutating func check(
    _ isLegal: Bool, _ option: String, _ value: some CustomStringConvertible, _ rule: String
  ) {
    guard !isLegal else { return }
    all.append(ConfigurationError.Violation(option: option, value: value.description, rule: rule))
  }
}
