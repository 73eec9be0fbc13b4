// SPDX-License-Identifier: Apache-2.0

/// How many calls were made and accepted of late, and whether the next one is sent: the pure part
/// of ``Throttle``.
struct ThrottleStateMachine: Sendable {
  struct Settings: Sendable, Equatable {
    var multiplier: Double
    var window: Duration
    var minimumRequests: Int
  }

  /// A call that was sent: which part of the window it counts in.
  struct Token: Sendable, Equatable {
    fileprivate let bucket: UInt64
  }

  private struct Bucket {
    var requests = 0
    var accepts = 0
    var onTheirWay = 0
  }

  /// Into how many parts the window is cut; the oldest is dropped as a whole.
  static let bucketCount = 24

  private(set) var settings: Settings
  private var length: Duration
  private var buckets: [Bucket]
  /// The number of the newest part, and the reading at which it began.
  private var newest: UInt64 = 0
  private var start: Duration
  /// How many calls were made in the window, those that were not sent included.
  private(set) var requests = 0
  /// How many of them the dependency accepted.
  private(set) var accepts = 0
  /// How many of them have not ended yet.
  private var onTheirWay = 0

  init(_ settings: Settings, now: Duration) {
    self.settings = settings
    length = Self.length(of: settings)
    buckets = Array(repeating: Bucket(), count: Self.bucketCount)
    start = now
  }

  private static func length(of settings: Settings) -> Duration {
    max(settings.window / bucketCount, .nanoseconds(1))
  }

  /// Goes on with other settings; only a window of another length forgets the calls in it.
  mutating func update(_ settings: Settings, now: Duration) {
    defer { self.settings = settings }
    guard settings.window != self.settings.window else { return }
    length = Self.length(of: settings)
    forgetAll(now: now)
  }

  /// How likely the next call is not sent: `(requests - multiplier x accepts) / (requests + 1)`.
  ///
  /// A call that is on its way does not count yet: nobody knows what the dependency will say to it,
  /// and many that are sent at once are no sign of overload.
  var probability: Double {
    let requests = requests - onTheirWay
    guard requests >= settings.minimumRequests else { return 0 }
    let excess = Double(requests) - settings.multiplier * Double(accepts)
    return max(0, excess / Double(requests + 1))
  }

  /// Drops what is older than the window; a clock that went back has not let time pass (P12).
  mutating func advance(to now: Duration) {
    guard now - start >= length else { return }
    guard now - start < length * Self.bucketCount else {
      // An idle gap: everything is too old, however long it lasted (P9).
      forgetAll(now: now)
      return
    }
    while now - start >= length {
      newest += 1
      start += length
      let index = place(of: newest)
      requests -= buckets[index].requests
      accepts -= buckets[index].accepts
      onTheirWay -= buckets[index].onTheirWay
      buckets[index] = Bucket()
    }
  }

  /// Begins an empty window, in which calls that were sent before do not count.
  private mutating func forgetAll(now: Duration) {
    buckets = Array(repeating: Bucket(), count: Self.bucketCount)
    (requests, accepts, onTheirWay) = (0, 0, 0)
    newest += UInt64(Self.bucketCount)
    start = now
  }

  /// A call is made.
  ///
  /// - Parameters:
  ///   - now: The reading of the clock.
  ///   - fraction: Draws a number in `0..<1`; asked only where chance decides.
  /// - Returns: What is needed to tell how it ended; nil where it is not sent.
  mutating func admit(now: Duration, fraction: () -> Double) -> Token? {
    advance(to: now)
    let probability = probability
    let isSent = probability == 0 || fraction() >= probability
    buckets[place(of: newest)].requests += 1
    requests += 1
    guard isSent else { return nil }
    buckets[place(of: newest)].onTheirWay += 1
    onTheirWay += 1
    return Token(bucket: newest)
  }

  /// The dependency accepted a call: it counts at the time when it was sent.
  mutating func accepted(_ token: Token) {
    guard end(token) else { return }
    buckets[place(of: token.bucket)].accepts += 1
    accepts += 1
  }

  /// The dependency did not accept a call: it counts at the time when it was sent.
  mutating func refused(_ token: Token) { _ = end(token) }

  /// A call ended without saying anything about the dependency: as if it had not been made.
  mutating func forget(_ token: Token) {
    guard end(token) else { return }
    buckets[place(of: token.bucket)].requests -= 1
    requests -= 1
  }

  /// A call is no longer on its way.
  ///
  /// - Returns: Whether the part in which it was sent still counts.
  private mutating func end(_ token: Token) -> Bool {
    guard isInWindow(token) else { return false }
    buckets[place(of: token.bucket)].onTheirWay -= 1
    onTheirWay -= 1
    return true
  }

  private func isInWindow(_ token: Token) -> Bool {
    newest - token.bucket < UInt64(Self.bucketCount)
  }

  private func place(of bucket: UInt64) -> Int { Int(bucket % UInt64(Self.bucketCount)) }
}
