// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

/// The rules that every `IdempotencyStore` keeps, for the tests of whoever writes one.
///
/// ```swift
/// let conformance = IdempotencyConformance {
///   MyStore.two(in: newDatabase())  // each as another process would make it
/// }
/// ```
///
/// A test asks for all rules, or `violations(of:)` for one:
///
/// ```swift
/// @Test func `my store keeps the rules`() async {
///   #expect(await conformance.violations().isEmpty)
/// }
/// ```
///
/// What becomes of a request whose process dies is not among them: that takes more than a store.
public struct IdempotencyConformance: Sendable {
  /// One rule; its description is a sentence.
  public struct Rule: Sendable, Hashable, CustomStringConvertible {
    /// The rule, in a sentence.
    public let description: String
    let check: @Sendable (IdempotencyDesk) async throws -> Void

    init(_ description: String, check: @escaping @Sendable (IdempotencyDesk) async throws -> Void) {
      self.description = description
      self.check = check
    }

    /// Whether both are the same rule.
    public static func == (left: Rule, right: Rule) -> Bool {
      left.description == right.description
    }

    /// Hashes the sentence.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
  }

  /// A rule that a store does not keep.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    public let rule: Rule
    /// What was found, what was expected, and the line of the rule that says so.
    public let details: String

    /// Rule and details.
    public var description: String { "\(rule): \(details)" }
  }

  /// All rules.
  public static let rules: [Rule] = verdicts + answers + crowds

  private let stores: @Sendable () async throws -> [any IdempotencyStore]

  /// Makes the suite of a store.
  ///
  /// - Parameter stores: Makes an empty place, and one store on it or several, each as another
  ///   process has it.
  public init(stores: @escaping @Sendable () async throws -> [any IdempotencyStore]) {
    self.stores = stores
  }

  /// Checks one rule, on a place of its own.
  ///
  /// - Returns: What was found; empty where the rule is kept.
  public func violations(of rule: Rule) async -> [Violation] {
    do {
      let desk = IdempotencyDesk(try await stores())
      guard !desk.stores.isEmpty else {
        return [Violation(rule: rule, details: "there is no store")]
      }
      do {
        try await rule.check(desk)
      } catch {
        desk.complaints.append("\(error)")
      }
      return desk.complaints.map { Violation(rule: rule, details: $0) }
    } catch {
      return [Violation(rule: rule, details: "there is no place: \(error)")]
    }
  }

  /// Checks all rules.
  ///
  /// - Returns: What was found; empty where all of them are kept.
  public func violations() async -> [Violation] {
    var found: [Violation] = []
    for rule in Self.rules { found += await violations(of: rule) }
    return found
  }
}

/// Where a rule tries stores that share a place.
final class IdempotencyDesk {
  let stores: [any IdempotencyStore]
  var complaints: [String] = []

  init(_ stores: [any IdempotencyStore]) { self.stores = stores }

  /// The process in front of which one stands.
  var here: any IdempotencyStore { stores[0] }

  /// Another process, where there are several.
  var there: any IdempotencyStore { stores[stores.count - 1] }

  func hold(_ isTrue: Bool, _ what: String = "it does not hold", line: Int = #line) {
    if !isTrue { complaints.append("\(what) (line \(line))") }
  }

  func same<T: Equatable>(_ found: T, _ expected: T, _ what: String = "", line: Int = #line) {
    guard found != expected else { return }
    let why = what.isEmpty ? "" : ": \(what)"
    complaints.append("\(found) instead of \(expected)\(why) (line \(line))")
  }

  /// Begins a request that is new.
  ///
  /// - Returns: The claim; 0, which is complained of, where it was not handled.
  func handled(
    _ store: any IdempotencyStore, _ key: String, _ fingerprint: Data = .one, line: Int = #line
  ) async throws -> UInt64 {
    let verdict = try await store.begin(key, fingerprint: fingerprint)
    if case .handle(let claim) = verdict { return claim }
    complaints.append("\(verdict), where it should be handled (line \(line))")
    return 0
  }

  /// Whether a request is handled now, and ended at once without an answer if it is.
  func isFree(
    _ store: any IdempotencyStore, _ key: String, _ fingerprint: Data = .one
  ) async throws -> Bool {
    guard case .handle(let claim) = try await store.begin(key, fingerprint: fingerprint) else {
      return false
    }
    try await store.end(key, claim, with: nil)
    return true
  }
}

extension Data {
  /// What a request is.
  static let one = Data([1, 0, 255])
  /// What another one is.
  static let two = Data([2])
}
