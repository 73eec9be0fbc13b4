// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay
public import MainstayOutbox

/// The rules that every `OutboxStore` of MainstayOutbox keeps, for the tests of whoever writes one.
///
/// ```swift
/// let conformance = StoreConformance { now, limits in
///   let shelf = JournalShelf()
///   return StoreConformance.Place {
///     JournalStore(on: shelf, limits: limits, now: now)
///   } kill: { store in
///     (store as? JournalStore)?.abandon()
///   }
/// }
/// ```
///
/// Each rule is a case of one test:
///
/// ```swift
/// @Test(arguments: StoreConformance.rules) func `is kept`(rule: StoreConformance.Rule) async {
///   #expect(await conformance.violations(of: rule).isEmpty)
/// }
/// ```
public struct StoreConformance: Sendable {
  /// A place where operations are kept, and which stores open one after the other.
  public struct Place: Sendable {
    let open: @Sendable () async throws -> any OutboxStore
    let kill: @Sendable (any OutboxStore) async throws -> Void

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - open: Makes a store on what the ones before it have kept, as another process would; the
    ///     suite opens it.
    ///   - kill: Leaves a store as the death of its process does: nothing is given back, and what
    ///     it had leased counts as lost once the next one is opened. The default does nothing, for
    ///     stores that take the owner before them for dead.
    public init(
      open: @escaping @Sendable () async throws -> any OutboxStore,
      kill: @escaping @Sendable (any OutboxStore) async throws -> Void = { _ in }
    ) {
      self.open = open
      self.kill = kill
    }
  }

  /// One rule; its description is a sentence.
  public struct Rule: Sendable, Hashable, CustomStringConvertible {
    /// The rule, in a sentence.
    public let description: String
    /// How much the store keeps.
    let limits: StoreLimits
    let check: @Sendable (StoreDesk) async throws -> Void

    init(
      _ description: String, limits: StoreLimits = StoreLimits(),
      check: @escaping @Sendable (StoreDesk) async throws -> Void
    ) {
      self.description = description
      self.limits = limits
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

  /// All rules but ``clockRules``.
  public static let rules: [Rule] =
    leasing + recovery + decisions + conflicts + dependencies + scheduling + pauses + uniqueness
    + answers + coalescing + limits + memory + searches + crowds

  private let place: @Sendable (@escaping @Sendable () -> Date, StoreLimits) async throws -> Place

  /// Makes the suite of a store.
  ///
  /// - Parameter place: Makes an empty place: its stores read the time of day from the closure that
  ///   they are given, and keep no more than the limits say.
  public init(
    place:
      @escaping @Sendable (
        _ now: @escaping @Sendable () -> Date, _ limits: StoreLimits
      ) async throws -> Place
  ) {
    self.place = place
  }

  /// Checks one rule, on a place of its own.
  ///
  /// - Returns: What was found; empty where the rule is kept.
  public func violations(of rule: Rule) async -> [Violation] {
    let time = TimeOfDay()
    do {
      let desk = StoreDesk(try await place({ time.now }, rule.limits), time)
      do {
        try await desk.open()
        try await rule.check(desk)
      } catch {
        desk.complaints.append("\(error)")
      }
      await desk.close()
      return desk.complaints.map { Violation(rule: rule, details: $0) }
    } catch {
      return [Violation(rule: rule, details: "there is no place: \(error)")]
    }
  }

  /// Checks all of ``rules``.
  ///
  /// - Returns: What was found; empty where all of them are kept.
  public func violations() async -> [Violation] {
    var found: [Violation] = []
    for rule in Self.rules { found += await violations(of: rule) }
    return found
  }
}
