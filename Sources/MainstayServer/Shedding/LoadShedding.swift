// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Mainstay
import Metrics

/// Decides which requests are answered while there are more than can be.
///
/// A request holds one permit of the bulkhead until its answer has been written whole, also where
/// that is a stream. What was written last may still be on its way to a slow reader: that has the
/// time of ``ConnectionLimits``. What finds no permit in time is refused with a `Rejection`, which
/// is answered with 503 and `Retry-After`: a refusal costs next to nothing, so what was accepted
/// stays fast. Requests that may wait, such as those of batches, are refused first.
public struct LoadShedding: Sendable {
  /// How much a request matters.
  public enum Importance: Sendable, Hashable, CaseIterable {
    /// It is always let in, and takes no permit: health checks.
    case vital
    /// It waits in the bulkhead's queue.
    case usual
    /// It is let in only while much of the bulkhead is free, and never waits.
    case deferrable
  }

  private let room: Room
  private let share: Double
  private let importance: @Sendable (HTTPRequest) -> Importance
  private let pause: ClosedRange<Double>
  private let hold: Duration
  /// Those who are held; nobody waits for a place among them.
  private let held: Bulkhead
  private let timeline: Timeline
  private let chance: Chance

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - bulkhead: How many requests are answered at once, how many wait, and for how long.
  ///   - share: Which part of the bulkhead deferrable requests may fill, at least one place; 0 to
  ///     1, the default is 0.5, and with 0 none is let in.
  ///   - pause: After how long whoever was refused is asked to come back, at the earliest and at
  ///     the latest: a whole number of seconds, each as often, so that not all come at once. The
  ///     default is 1 to 3 seconds, which makes three groups of them; give it more where more
  ///     come.
  ///   - hold: How long a refusal is held back, so that whoever asks again as soon as it is
  ///     refused, whatever it was asked, takes no time from those who were let in. It takes half of
  ///     the time to a deadline at most. Zero to 10 seconds, the default is zero: it is told at
  ///     once.
  ///   - maximumHeld: How many refusals are held back at once; the others are told at once. 1 or
  ///     more, the default is 1,000.
  ///   - clock: The clock by which they are held; the default is the continuous one.
  ///   - seed: Makes the pauses foreseeable, for tests.
  ///   - importance: How much a request matters; the default is that all are usual.
  public init(
    _ bulkhead: Bulkhead, deferrableShare share: Double = 0.5,
    pause: ClosedRange<Duration> = .seconds(1) ... .seconds(3), holding hold: Duration = .zero,
    maximumHeld: Int = 1_000, clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    importance: @escaping @Sendable (HTTPRequest) -> Importance = { _ in .usual }
  ) {
    self.init(.fixed(bulkhead), share, pause, hold, maximumHeld, clock, seed, importance)
  }

  /// Makes rules whose limit follows how long requests take.
  ///
  /// While they are handled as fast as ever the limit grows. When they get slower, or their time is
  /// over, it shrinks. What counts is the time until a handler has its answer, and not how long
  /// that is sent. A request whose caller gave it less time than the service says nothing, where
  /// ``RequestDeadline`` stands around this or within ``Place/handle(_:)``.
  ///
  /// - Parameters:
  ///   - limit: How many requests are answered at once at first, at least and at most, how many
  ///     wait, and for how long.
  ///   - share: Which part of the limit that holds now deferrable requests may fill, as for a
  ///     bulkhead.
  ///   - pause: After how long whoever was refused is asked to come back, as for a bulkhead.
  ///   - hold: How long a refusal is held back, as for a bulkhead.
  ///   - maximumHeld: How many refusals are held back at once; 1 or more, the default is 1,000.
  ///   - clock: The clock by which they are held; the default is the continuous one.
  ///   - seed: Makes the pauses foreseeable, for tests.
  ///   - importance: How much a request matters; the default is that all are usual.
  public init(
    _ limit: AdaptiveLimit, deferrableShare share: Double = 0.5,
    pause: ClosedRange<Duration> = .seconds(1) ... .seconds(3), holding hold: Duration = .zero,
    maximumHeld: Int = 1_000, clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    importance: @escaping @Sendable (HTTPRequest) -> Importance = { _ in .usual }
  ) {
    self.init(.learned(limit), share, pause, hold, maximumHeld, clock, seed, importance)
  }

  private init(
    _ room: Room, _ share: Double, _ pause: ClosedRange<Duration>, _ hold: Duration,
    _ maximumHeld: Int, _ clock: some Clock<Duration>, _ seed: UInt64?,
    _ importance: @escaping @Sendable (HTTPRequest) -> Importance
  ) {
    precondition((0...1).contains(share), "LoadShedding(deferrableShare): it must be 0 to 1")
    precondition(
      pause.lowerBound > .zero, "LoadShedding(pause): it must be more than zero")
    precondition(
      hold >= .zero && hold <= .seconds(10), "LoadShedding(holding): it must be 0 to 10 seconds")
    precondition(maximumHeld >= 1, "LoadShedding(maximumHeld): it must be 1 or more")
    self.room = room
    self.hold = hold
    held = Bulkhead("held", limit: maximumHeld)
    timeline = Timeline(clock)
    self.share = share
    self.importance = importance
    self.pause = pause.lowerBound.inSeconds...pause.upperBound.inSeconds
    chance = Chance(seed: seed)
  }

  /// Lets a request in.
  ///
  /// - Parameter request: The head of the request.
  /// - Returns: What holds its place until it is released.
  /// - Throws: `Rejection` with the time after which to come back, and `CancellationError`.
  public func admit(_ request: HTTPRequest) async throws -> Place {
    switch importance(request) {
    case .vital:
      return Place()
    case .deferrable:
      let load = room.load
      guard load.running < deferrable, load.waiting == 0, let place = room.tryEnter() else {
        throw try await refusal(room.reason)
      }
      return place
    case .usual:
      do {
        return try await room.enter()
      } catch let rejection as Rejection {
        throw try await refusal(rejection.reason)
      }
    }
  }

  /// How many places deferrable requests may fill, of those that there are now.
  private var deferrable: Int {
    // A part of little is not nothing: a small service would never do what can wait.
    share > 0 ? max(Int((Double(room.limit) * share).rounded(.down)), 1) : 0
  }

  private func refusal(_ reason: Rejection.Reason) async throws -> Rejection {
    Counter(label: "mainstay.server.shed", dimensions: [("reason", reason.rawValue)]).increment()
    let hold = reason == .deadlineTooClose ? .zero : holdWithinDeadline
    if hold > .zero, let place = held.tryAcquire() {
      // Where the caller has gone, the place is free as well.
      try await timeline.sleep(until: timeline.now + hold)
      place.release()
    }
    let refusal = Rejection(policy: room.name, reason: reason, retryAfter: .seconds(drawnPause))
    OwnRefusal.note(refusal)
    return refusal
  }

  /// An answer names whole seconds alone, and rounds up: so each of those is drawn as often.
  private var drawnPause: Double {
    let first = pause.lowerBound.rounded(.up)
    let count = pause.upperBound.rounded(.up) - first + 1
    let drawn = first + (chance.fraction() * count).rounded(.down)
    return min(max(drawn, pause.lowerBound), pause.upperBound)
  }

  /// The hold, cut so that the refusal still comes to a caller whose deadline is near.
  private var holdWithinDeadline: Duration {
    Deadline.remaining.map { min(hold, $0 / 2) } ?? hold
  }
}
