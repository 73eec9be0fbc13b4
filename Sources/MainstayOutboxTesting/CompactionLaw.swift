// SPDX-License-Identifier: Apache-2.0

public import MainstayOutbox
public import MainstayTesting

/// Checks that an operation's `coalesced(with:)` may be trusted.
///
/// The fewer operations have to do the same as all of them, whatever they are done to.
///
/// ```swift
/// let law = CompactionLaw<EditList, [Int]>(
///   operation: { .random(using: &$0) }, state: { [Int.random(in: 0...9, using: &$0)] },
///   apply: { $0.apply($1) })
/// let violations = law.violations(cases: 1_000)
/// ```
///
/// A test expects that there are none.
public struct CompactionLaw<Operation: CoalescingOperation, State: Equatable & Sendable>: Sendable {
  private let operation: @Sendable (inout SeededGenerator) -> Operation
  private let state: @Sendable (inout SeededGenerator) -> State
  private let apply: @Sendable (inout State, Operation) -> Void
  private let isPossible: @Sendable (State, Operation) -> Bool

  /// Makes the law of a kind of operation.
  ///
  /// - Parameters:
  ///   - operation: Makes a random operation; few different ones find more than many.
  ///   - state: Makes something random that operations are done to.
  ///   - apply: Does an operation.
  ///   - isPossible: Whether an app would ever enqueue an operation where the state is this; the
  ///     default is that it would. A list in which one is not possible is no case.
  public init(
    operation: @escaping @Sendable (inout SeededGenerator) -> Operation,
    state: @escaping @Sendable (inout SeededGenerator) -> State,
    apply: @escaping @Sendable (inout State, Operation) -> Void,
    isPossible: @escaping @Sendable (State, Operation) -> Bool = { _, _ in true }
  ) {
    self.operation = operation
    self.state = state
    self.apply = apply
    self.isPossible = isPossible
  }

  /// Looks for lists of operations that do something else once they are made fewer.
  ///
  /// - Parameters:
  ///   - cases: How many lists are tried; 1 or more.
  ///   - seed: Where chance begins.
  /// - Returns: The shortest list that each bad case could be cut to; empty where the law holds.
  public func violations(cases: Int = 100, seed: UInt64 = 1) -> [LawViolation] {
    eachCase(cases, seed: seed) { seed in
      var generator = SeededGenerator(seed: seed)
      let start = state(&generator)
      let count = Int.random(in: 0...12, using: &generator)
      var operations: [Operation] = []
      var now = start
      for _ in 0..<count {
        let next = operation(&generator)
        guard isPossible(now, next) else { continue }
        operations.append(next)
        apply(&now, next)
      }
      guard isBroken(operations, start) else { return [] }
      return [violation(shrunk(operations, start), start, seed)]
    }
  }

  private func result(_ operations: [Operation], _ start: State) -> State {
    operations.reduce(into: start) { apply(&$0, $1) }
  }

  private func isLegal(_ operations: [Operation], _ start: State) -> Bool {
    var now = start
    for operation in operations {
      guard isPossible(now, operation) else { return false }
      apply(&now, operation)
    }
    return true
  }

  private func isBroken(_ operations: [Operation], _ start: State) -> Bool {
    result(operations, start) != result(operations.compacted(), start)
  }

  /// Leaves operations out for as long as the rest still shows it.
  private func shrunk(_ operations: [Operation], _ start: State) -> [Operation] {
    for index in operations.indices {
      var fewer = operations
      fewer.remove(at: index)
      if isLegal(fewer, start), isBroken(fewer, start) { return shrunk(fewer, start) }
    }
    return operations
  }

  private func violation(
    _ operations: [Operation], _ start: State, _ seed: UInt64
  ) -> LawViolation {
    LawViolation(
      law: "fewer operations do the same", seed: seed,
      details: "\(start) becomes \(result(operations, start)) by \(operations), and "
        + "\(result(operations.compacted(), start)) by \(operations.compacted())")
  }
}
