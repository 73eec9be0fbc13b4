// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// Everything that one sequence of a monitor told, in order.
package final class Told: Sendable {
  private let all = Locked<[Connectivity]>([])
  private let signal: AsyncStream<Void>

  /// Begins to listen.
  package init(_ stream: AsyncStream<Connectivity>) {
    let (signal, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signal = signal
    Task {
      for await value in stream {
        self.all.withLock { $0.append(value) }
        continuation.yield()
      }
    }
  }

  package var values: [Connectivity] { all.withLock { $0 } }

  /// Returns once the last thing that was told is what is waited for.
  package func until(_ isReached: @Sendable (Connectivity) -> Bool) async {
    if let last = values.last, isReached(last) { return }
    for await _ in signal {
      if let last = values.last, isReached(last) { return }
    }
  }

  package func online() async { await until { $0.standing == .online } }
  package func offline() async { await until { $0.standing == .offline } }
}
