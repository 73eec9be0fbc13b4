// SPDX-License-Identifier: Apache-2.0

/// How long the last calls took, and how long most of them take: a pure value.
struct LatencyWindow: Sendable {
  private let capacity: Int
  private var recent: [Duration] = []
  private var oldest = 0
  private var sorted: [Duration] = []

  init(capacity: Int) { self.capacity = max(capacity, 1) }

  /// How many calls it knows.
  var count: Int { sorted.count }

  /// A call gave its answer.
  mutating func record(_ latency: Duration) {
    let latency = latency.clamped
    if recent.count < capacity {
      recent.append(latency)
    } else {
      sorted.remove(at: place(of: recent[oldest]))
      recent[oldest] = latency
      oldest = (oldest + 1) % capacity
    }
    sorted.insert(latency, at: place(of: latency))
  }

  /// A call was cancelled when it had taken this long: it would have taken longer.
  ///
  /// It counts only where it had already taken as long as the share of calls does; a shorter time
  /// says nothing, and would make slow calls look fast.
  mutating func recordCensored(_ latency: Duration, share: Double) {
    guard let usual = percentile(share), latency >= usual else { return }
    record(latency)
  }

  /// How long this share of the calls takes at most; nil where none is known.
  func percentile(_ share: Double) -> Duration? {
    guard !sorted.isEmpty else { return nil }
    let rank = (share * Double(sorted.count)).rounded(.up)
    return sorted[min(max(Int(rank), 1), sorted.count) - 1]
  }

  /// The first place at which nothing shorter stands.
  private func place(of latency: Duration) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < latency { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
