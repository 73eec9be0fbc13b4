// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads with a deep stack: a tree is walked by recursion, and a line of code may nest deeply.
enum Workers {
  private static let stackSize = 512 << 20

  /// What becomes of each item, in the order in which they are done.
  static func map<Item: Sendable, Outcome: Sendable>(
    _ items: [Item], jobs: Int, _ transform: @escaping @Sendable (Item) -> Outcome
  ) -> AsyncStream<Outcome> {
    let jobs = max(1, min(jobs, items.count))
    let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    for job in 0..<jobs {
      let thread = Thread {
        // Neighbours in the list are of like size, so every job gets its share of the large ones.
        for index in stride(from: job, to: items.count, by: jobs) {
          continuation.yield(transform(items[index]))
        }
        end.yield()
      }
      thread.stackSize = stackSize
      thread.start()
    }
    Task {
      var ended = 0
      for await _ in ends {
        ended += 1
        if ended == jobs { break }
      }
      continuation.finish()
    }
    return stream
  }
}
