// SPDX-License-Identifier: Apache-2.0

/// Those who listen, each with a number of its own: whoever finds that some are gone may be late,
/// and removes them and nobody else.
struct OgmiosListenersStateMachine<Listener> {
  /// All that listen, in the order in which they came.
  private(set) var all: [(number: UInt64, listener: Listener)] = []
  private var last: UInt64 = 0

  init() {}

  mutating func add(_ listener: Listener) {
    last += 1
    all.append((last, listener))
  }

  mutating func remove(_ numbers: [UInt64]) {
    all.removeAll { numbers.contains($0.number) }
  }
}

extension OgmiosListenersStateMachine: Sendable where Listener: Sendable {}
