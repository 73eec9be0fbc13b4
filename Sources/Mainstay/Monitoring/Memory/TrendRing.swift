// SPDX-License-Identifier: Apache-2.0

/// How often something happened in each of the latest spans of time.
///
/// It is driven by minutes of the time of day that are handed to it. The time of day may be set. A
/// minute within the ring counts where it belongs. One far ahead empties the ring, since all in it
/// is over. One further back than the ring moves the whole ring back, so that nothing in it is lost
/// and later minutes count again.
struct TrendRing: Sendable {
  /// How many minutes one span has.
  let width: Int
  private var counts: [UInt32]
  /// Where the latest span is in `counts`.
  private var head = 0
  /// The number of the latest span, counted from 1970; nil while nothing has happened.
  private var latest: Int?

  /// Makes an empty ring; both numbers are 1 or more.
  init(width: Int, spans: Int) {
    self.width = width
    counts = Array(repeating: 0, count: spans)
  }

  /// Counts one, or several, in a minute; a span that is full stays so.
  mutating func add(minute: Int, count: UInt32 = 1) {
    let span = span(of: minute)
    let index = place(of: span)
    let (sum, overflows) = counts[index].addingReportingOverflow(count)
    counts[index] = overflows ? .max : sum
  }

  /// The counts up to a minute, the oldest first.
  ///
  /// Where the minute lies before the latest that was counted, the counts end with that one.
  func counts(until minute: Int) -> [Int] {
    guard let latest else { return Array(repeating: 0, count: counts.count) }
    let ahead = min(max(span(of: minute).saturatingDifference(to: latest), 0), counts.count)
    let all = (1...counts.count).map { Int(counts[(head + $0) % counts.count]) }
    return Array(all.dropFirst(ahead)) + Array(repeating: 0, count: ahead)
  }

  private func span(of minute: Int) -> Int {
    let (quotient, remainder) = minute.quotientAndRemainder(dividingBy: width)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private mutating func place(of span: Int) -> Int {
    guard let latest else {
      self.latest = span
      return head
    }
    let ahead = span.saturatingDifference(to: latest)
    if ahead > 0 {
      for _ in 0..<min(ahead, counts.count) {
        head = head + 1 == counts.count ? 0 : head + 1
        counts[head] = 0
      }
      self.latest = span
    } else if ahead > -counts.count {
      return (head + ahead + counts.count) % counts.count
    } else {
      self.latest = span
    }
    return head
  }
}

/// Counts per minute, hour and day, and of all time.
struct Trends: Sendable {
  private(set) var minutes = TrendRing(width: 1, spans: 60)
  private(set) var hours = TrendRing(width: 60, spans: 24)
  private(set) var days = TrendRing(width: 1_440, spans: 30)
  /// All that was ever counted.
  private(set) var total = 0

  /// Counts one in a minute.
  mutating func add(minute: Int) {
    minutes.add(minute: minute)
    hours.add(minute: minute)
    days.add(minute: minute)
    total &+= 1
  }

  /// The counts up to a minute, the oldest first.
  func counts(per span: ErrorMonitor.Span, until minute: Int) -> [Int] {
    switch span {
    case .minute: minutes.counts(until: minute)
    case .hour: hours.counts(until: minute)
    case .day: days.counts(until: minute)
    }
  }
}

extension Int {
  /// The difference, cut to what can be counted.
  fileprivate func saturatingDifference(to other: Int) -> Int {
    let (difference, overflows) = subtractingReportingOverflow(other)
    guard overflows else { return difference }
    return self > other ? .max : .min
  }
}
