// SPDX-License-Identifier: Apache-2.0

internal import MainstayOutbox

/// The latest samples of the outboxes: what is drawn over time.
///
/// It is bounded, whatever the number of kinds: the oldest sample goes when another one comes.
struct Memory: Sendable {
  /// How many samples are kept: an hour of them at the usual interval.
  static let capacity = 720
  /// How many kinds a sample tells apart; those with the most operations.
  static let maximumKinds = 8

  /// One sample of one outbox.
  struct Point: Sendable {
    let reading: Duration
    let ready: Int
    let running: Int
    let held: Int
    let dead: Int
    let kinds: [OperationKind: Int]

    init(reading: Duration, _ queue: Sample.Queue) {
      self.reading = reading
      let counts = queue.snapshot
      ready = counts.ready
      running = counts.running
      held = counts.pending - counts.ready - counts.running
      dead = counts.dead
      var kinds: [OperationKind: Int] = [:]
      for place in queue.tally { kinds[place.kind, default: 0] += place.count }
      self.kinds = Dictionary(
        uniqueKeysWithValues: kinds.sorted { one, other in
          (other.value, one.key.rawValue) < (one.value, other.key.rawValue)
        }.prefix(Memory.maximumKinds).map { ($0.key, $0.value) })
    }

    /// How many operations of a kind there were; nil where others had more and it was not kept.
    func count(of kind: OperationKind) -> Int? {
      kinds[kind] ?? (kinds.count < Memory.maximumKinds ? 0 : nil)
    }
  }

  private var rings: [String: [Point]] = [:]
  private var starts: [String: Int] = [:]

  mutating func add(_ point: Point, of name: String) {
    if rings[name, default: []].count < Self.capacity {
      rings[name, default: []].append(point)
    } else {
      let start = starts[name, default: 0]
      rings[name]?[start] = point
      starts[name] = (start + 1) % Self.capacity
    }
  }

  /// The samples of an outbox, the oldest first.
  func points(of name: String) -> [Point] {
    let (ring, start) = (rings[name] ?? [], starts[name] ?? 0)
    return Array(ring[start...] + ring[..<start])
  }
}
