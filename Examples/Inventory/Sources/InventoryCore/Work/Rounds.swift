// SPDX-License-Identifier: Apache-2.0

/// Work that is done in rounds, one after the other: whoever asks while one is under way shares the
/// next with all who come before that begins.
package actor Rounds<Value: Sendable> {
  private let body: @Sendable () async -> Value
  /// The last round that has begun, and the one after it.
  private var running: Task<Value, Never>?
  private var next: Task<Value, Never>?

  /// - Parameter body: What a round does; it sees to all that is there when it begins.
  package init(_ body: @escaping @Sendable () async -> Value) { self.body = body }

  /// Sees to it that a round begins after this.
  package func start() { _ = round() }

  /// Returns when a round that began after this has ended.
  package func join() async -> Value { await round().value }

  /// Returns when no round is under way that was asked for before this.
  package func settle() async { _ = await (next ?? running)?.value }

  private func round() -> Task<Value, Never> {
    if let next { return next }
    let task = Task { [running, body] in
      _ = await running?.value
      begin()
      let value = await body()
      end()
      return value
    }
    next = task
    return task
  }

  private func begin() { (running, next) = (next, nil) }

  private func end() { running = nil }
}
