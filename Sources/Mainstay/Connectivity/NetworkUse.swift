// SPDX-License-Identifier: Apache-2.0

/// What becomes known of a piece of work while it runs, whatever it ends with.
package final class NetworkUse: Sendable {
  private struct State {
    var isAnswered = false
    var hasBegun = false
    var isInDoubt = false
  }

  @TaskLocal private static var current: NetworkUse?

  private let state = Locked(State())
  /// The work that this is one call of; nil for the work itself.
  private let whole: NetworkUse?

  package init() { whole = nil }

  private init(partOf whole: NetworkUse) { self.whole = whole }

  /// Whether somebody beyond this device has answered: only then its success shows that the network
  /// works.
  package var isAnswered: Bool { state.withLock { $0.isAnswered } }

  /// Whether a call has changed something, or may have: then a part of the work is done, whatever
  /// becomes of the rest.
  package var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Whether nobody knows what came of a call, although what it ended with does not say so.
  package var isInDoubt: Bool { state.withLock { $0.isInDoubt } }

  /// Whether anybody wants to know what became of the work that runs in this task.
  package static var isWanted: Bool { current != nil }

  /// Somebody beyond this device has answered the work that runs in this task.
  package static func answered() { work?.state.withLock { $0.isAnswered = true } }

  /// A call of the work that runs in this task has changed something, or may have.
  package static func begun() { work?.state.withLock { $0.hasBegun = true } }

  private static var work: NetworkUse? { current?.whole ?? current }

  /// A call of the work that runs in this task may have had its effect, and its error has no place
  /// for that.
  package static func leftInDoubt() { current?.state.withLock { $0.isInDoubt = true } }

  /// One call of the work that runs in this task, which knows better than the policies within it
  /// what it leaves in doubt; nil where nobody wants to know.
  ///
  /// All else that becomes known of the call becomes known of the work.
  package static func part() -> NetworkUse? { work.map { NetworkUse(partOf: $0) } }

  /// Tells the work of the doubt that policies had of this call, if they had any.
  package func tellDoubt() {
    guard let whole, isInDoubt else { return }
    whole.state.withLock { $0.isInDoubt = true }
  }

  /// Runs what is no part of the work in this task, such as a sign-in that it waits for.
  package static func apart<T>(_ body: () async throws -> T) async rethrows -> T {
    try await $current.withValue(nil, operation: body)
  }

  /// Runs a piece of work, and keeps what becomes known of it.
  package func during<T>(_ work: () async throws -> T) async rethrows -> T {
    try await Self.$current.withValue(self, operation: work)
  }
}
