// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Mainstay

/// Does what has to be done with messages in the order in which they came, long ones beside the
/// loop that they came on: others share that loop.
final class MessageOrder: Sendable {
  /// Reading a message of more bytes takes long enough to be noticed.
  static let longMessage = 256 << 10

  private let queue = DispatchQueue(label: "mainstay.jsonrpc.messages")
  private let waiting = Locked(0)

  /// Does something after all that came before; at once where nothing waits and it is short.
  ///
  /// - Parameters:
  ///   - isLong: Whether it takes long.
  ///   - work: What is done.
  func after(isLong: Bool = false, _ work: @escaping @Sendable () -> Void) {
    // All come on one loop, so nobody overtakes while this is done at once.
    let isAtOnce = waiting.withLock { waiting in
      if waiting == 0, !isLong { return true }
      waiting += 1
      return false
    }
    if isAtOnce { return work() }
    queue.async {
      work()
      self.waiting.withLock { $0 -= 1 }
    }
  }
}
