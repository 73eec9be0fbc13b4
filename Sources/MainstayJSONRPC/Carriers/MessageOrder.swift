// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Mainstay

/// Does what has to be done with messages in the order in which they came, long ones beside the
/// loop that they came on: others share that loop.
final class MessageOrder: Sendable {
  /// Reading a message of more bytes takes long enough to be noticed.
  static let longMessage = 256 << 10

  private struct State {
    var count = 0
    var bytes = 0
    var isFull = false
  }

  private let queue = DispatchQueue(label: "mainstay.jsonrpc.messages")
  private let state = Locked(State())
  /// How many bytes may wait.
  private let limit: Int
  /// Told when more than that wait, and when half of it is done again.
  private let turned: @Sendable (MessageOrder) -> Void

  /// Makes one.
  ///
  /// - Parameters:
  ///   - limit: How many bytes may wait before nothing more is read; 1 or more.
  ///   - turned: Told when ``isFull`` has changed.
  init(limit: Int = .max, turned: @escaping @Sendable (MessageOrder) -> Void = { _ in }) {
    self.limit = limit
    self.turned = turned
  }

  /// Whether so much waits that nothing more is to be read.
  var isFull: Bool { state.withLock { $0.isFull } }

  /// Does something after all that came before; at once where nothing waits and it is short.
  ///
  /// - Parameters:
  ///   - bytes: How many bytes wait for it.
  ///   - work: What is done.
  func after(bytes: Int = 0, _ work: @escaping @Sendable () -> Void) {
    // All come on one loop, so nobody overtakes while this is done at once.
    let (isAtOnce, hasTurned) = state.withLock { state in
      if state.count == 0, bytes <= Self.longMessage { return (true, false) }
      state.count += 1
      state.bytes += bytes
      guard !state.isFull, state.bytes > limit else { return (false, false) }
      state.isFull = true
      return (false, true)
    }
    if isAtOnce { return work() }
    if hasTurned { turned(self) }
    queue.async { [self] in
      work()
      let hasTurned = state.withLock { state in
        state.count -= 1
        state.bytes -= bytes
        guard state.isFull, state.bytes <= limit / 2 else { return false }
        state.isFull = false
        return true
      }
      if hasTurned { turned(self) }
    }
  }
}
