// SPDX-License-Identifier: Apache-2.0

/// Keeps work waiting until it is opened: so a task can be looked at while it is under way.
struct Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

  func open() { continuation.finish() }

  /// Returns when it is open, or whoever waits is cancelled.
  func pass() async { for await _ in stream {} }
}
