// SPDX-License-Identifier: Apache-2.0

public import Configuration
import Foundation
public import Mainstay

extension ConfigSnapshotReader {
  /// Settings, such as a `CircuitBreaker.Configuration`, from the values below a key.
  ///
  /// The keys are those of the settings' documentation: `breakFor` of a breaker at
  /// `breakers.catalog` is `breakers.catalog.breakFor`, or in the environment
  /// `BREAKERS_CATALOG_BREAK_FOR`. Spans of time are numbers of seconds. The text `null` stands for
  /// nil. A group, such as `halfOpen`, is either several values below its key or one text in JSON.
  /// A list of groups is always that text, and so is a table by names, such as that of an outbox's
  /// `maximumConcurrencyOfKinds`.
  ///
  /// - Parameters:
  ///   - type: What to read.
  ///   - key: Where it lies.
  ///   - base: What holds for each key that is not set; a group that is set replaces this one's
  ///     whole. The default is the settings' own defaults.
  /// - Returns: The settings, whose ranges are checked where something is made of them.
  /// - Throws: `ConfigurationError` with all values that are missing or of another type.
  public func settings<Settings: Codable>(
    _ type: Settings.Type = Settings.self, at key: ConfigKey, over base: Settings? = nil
  ) throws(ConfigurationError) -> Settings {
    var faults = Faults()
    var violations: [ConfigurationError.Violation] = []
    while true {
      do {
        let documents = try base.map { try SettingsDecoder.documents(in: JSONEncoder().encode($0)) }
        let settings = try Settings(
          from: SettingsDecoder(scoped(to: key), base: documents ?? [:], without: faults))
        if violations.isEmpty { return settings }
      } catch {
        let violation = ConfigurationError.Violation(error, at: key)
        if !violations.contains(where: { $0.explains(violation) }) { violations.append(violation) }
        if faults.add(error) { continue }
      }
      throw ConfigurationError(subject: Self.subject(of: type), violations: violations)
    }
  }

  private static func subject(of type: Any.Type) -> String {
    String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
  }
}

extension ConfigReader {
  /// Settings from the values below a key, as they are now.
  ///
  /// See ``Configuration/ConfigSnapshotReader/settings(_:at:over:)``. All values are of one moment.
  ///
  /// - Throws: `ConfigurationError` with all values that are missing or of another type.
  public func settings<Settings: Codable>(
    _ type: Settings.Type = Settings.self, at key: ConfigKey, over base: Settings? = nil
  ) throws(ConfigurationError) -> Settings {
    try snapshot().settings(type, at: key, over: base)
  }
}

extension ConfigurationError.Violation {
  /// The most letters of a value that are repeated.
  private static let maximumLength = 100

  /// What is wrong with a value, told with its whole key.
  fileprivate init(_ error: any Error, at key: ConfigKey) {
    func violation(
      _ context: DecodingError.Context, _ more: [any CodingKey] = [], without value: String
    ) -> Self {
      let path = key.components + (context.codingPath + more).map(\.stringValue)
      let text = (context.underlyingError as? UnfitText)?.text
      return Self(
        option: path.joined(separator: "."), value: text.map(Self.quoted) ?? value,
        rule: context.debugDescription)
    }
    self =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        violation(context, [key], without: "nothing")
      case DecodingError.valueNotFound(_, let context): violation(context, without: "nothing")
      case DecodingError.typeMismatch(_, let context): violation(context, without: "what is there")
      case DecodingError.dataCorrupted(let context): violation(context, without: "what is there")
      default:
        Self(
          option: key.description, value: "what is there",
          rule: "it must be readable, and reading it failed: \(error)")
      }
  }

  /// Whether another one is of the same value, or of a group that lacks this one for it.
  fileprivate func explains(_ other: Self) -> Bool {
    option == other.option || option.hasPrefix(other.option + ".")
  }

  private static func quoted(_ text: String) -> String {
    text.count > maximumLength ? "\"\(text.prefix(maximumLength))…\"" : "\"\(text)\""
  }
}
