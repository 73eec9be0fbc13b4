// SPDX-License-Identifier: Apache-2.0

extension StateClient {
  /// What must be true of a state at any time, such as that a balance is never negative.
  public struct Invariant: Sendable {
    /// What it says, such as "the balance is not negative"; for logs and reports.
    public let name: String
    private let condition: @Sendable (State) -> Bool

    /// Makes an invariant.
    ///
    /// - Parameters:
    ///   - name: What it says; for logs and reports, never shown.
    ///   - condition: Whether it holds. It is asked at every change, so it is short and always
    ///     gives the same answer for the same state.
    public init(_ name: String, _ condition: @escaping @Sendable (State) -> Bool) {
      self.name = name
      self.condition = condition
    }

    /// Whether it holds.
    public func holds(for state: State) -> Bool { condition(state) }
  }
}

extension Sequence {
  /// The names of those that do not hold.
  func broken<State>(by state: State) -> [String] where Element == StateClient<State>.Invariant {
    compactMap { $0.holds(for: state) ? nil : $0.name }
  }
}
