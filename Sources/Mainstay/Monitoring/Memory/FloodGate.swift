// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorReport {
  /// What was counted and not told between two reports of a group.
  public struct Suppressed: Sendable, Hashable, Codable {
    /// How many there were; more than zero, unless a file says otherwise.
    public var count: Int
    /// When the first of them was captured.
    public var first: Date
    /// When the last of them was captured.
    public var last: Date

    /// Makes a count.
    public init(count: Int, first: Date, last: Date) {
      self.count = count
      self.first = first
      self.last = last
    }

    /// Decodes a count; one from a file may be anything, so it is cut to 0 to 2,147,483,647.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      count = min(max(0, try values.decode(Int.self, forKey: .count)), Int(Int32.max))
      first = try values.decode(Date.self, forKey: .first).finite
      last = try values.decode(Date.self, forKey: .last).finite
    }

    /// The others, where the last one is told after all; nil where it was the only one.
    var withoutLast: Self? {
      count > 1 ? Self(count: count - 1, first: first, last: last) : nil
    }

    /// Both together.
    func adding(_ other: Self?) -> Self {
      guard let other else { return self }
      return Self(
        count: count + other.count, first: min(first, other.first), last: max(last, other.last))
    }
  }
}

/// Lets the first reports of one group go out in each window and counts the others.
///
/// The next one that goes out carries the count. Where none comes for a while after the window, the
/// count is told by itself. It has no clock: a reading that is not later than the latest one means
/// that no time has passed.
struct FloodGate: Sendable {
  /// Settings that were checked before.
  struct Limit: Sendable, Hashable {
    /// How many go out in each window; 1 or more.
    var count: Int
    /// How long a window is; it begins with the first report that goes out.
    var window: Duration
  }

  enum Answer: Sendable, Equatable {
    /// It goes out, and tells how many were not told before.
    case passes(after: ErrorReport.Suppressed?)
    case suppressed
  }

  /// The latest window, how many have gone out in it, and when it has been over for so long that
  /// nothing more is to be expected.
  private var window: (end: Duration, passed: Int, silence: Duration)?
  private(set) var suppressed: ErrorReport.Suppressed?

  /// A report of the group was captured.
  ///
  /// - Parameters:
  ///   - limit: How many go out; nil for all of them.
  ///   - now: The reading.
  ///   - date: The time of day, told to people.
  ///   - mustPass: Whether it goes out though others have used up the window; the default is false.
  /// - Returns: Whether it goes out.
  mutating func ask(
    _ limit: Limit?, now: Duration, date: Date, mustPass: Bool = false
  ) -> Answer {
    guard let limit else { return pass() }
    if let open = window, now < open.end {
      guard open.passed < limit.count || mustPass else {
        suppress(date)
        return .suppressed
      }
      window?.passed += 1
    } else {
      let end = min(now, .latestReading) + limit.window
      // A flood that goes on tells its count itself, and soon.
      window = (end, 1, end + limit.window / 10)
    }
    return pass()
  }

  /// Whether one report alone has gone out in the window so far.
  var hasJustBegun: Bool { window?.passed == 1 }

  /// When nothing more is to be expected; nil before the first window.
  var silence: Duration? { window?.silence }

  /// When the count is to be told by itself; nil where nothing was left untold.
  var due: Duration? { suppressed == nil ? nil : window?.silence }

  /// The count is told by itself.
  mutating func close() -> ErrorReport.Suppressed? {
    defer { suppressed = nil }
    return suppressed
  }

  private mutating func pass() -> Answer {
    defer { suppressed = nil }
    return .passes(after: suppressed)
  }

  private mutating func suppress(_ date: Date) {
    guard var count = suppressed else {
      suppressed = ErrorReport.Suppressed(count: 1, first: date, last: date)
      return
    }
    count.count += 1
    count.first = min(count.first, date)
    count.last = max(count.last, date)
    suppressed = count
  }
}
