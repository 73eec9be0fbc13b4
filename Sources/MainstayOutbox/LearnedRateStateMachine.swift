// SPDX-License-Identifier: Apache-2.0

/// How fast operations of one kind begin, as learned from the other side: a value without clock or
/// task.
///
/// A limit on how many run at once does not hold anybody to a number of calls in a second. Whoever
/// goes on with half as many after each answer of "too many" is back at that limit within moments,
/// and rests again for as long as the other side asked. That gets a tenth of what it may have. So
/// the rate is remembered at which calls were answered before, and approached as CUBIC approaches
/// the limit of a network (RFC 9438). It is soon close below that, for long near it, and beyond it
/// only then.
///
/// | Event | Rate |
/// |---|---|
/// | nothing was pushed back yet | none; as fast as places get free |
/// | pushed back for the first time | nine tenths of what was answered in a second |
/// | time passes | grows, flat around the remembered rate, and steeply after three times as long |
/// | pushed back near the remembered rate | that is believed for twice as long as before |
/// | pushed back after less than three answers | half of what it was, one a second at least |
/// | it has grown to 16 times what was remembered | none |
/// | the same kind is answered in another lane | none, ever: one lane says nothing of others |
///
/// What is pushed back while the lane rests had begun before, and says nothing new.
package struct LearnedRateStateMachine: Sendable, Equatable {
  /// What one push-back has taught.
  private struct Lesson: Sendable, Equatable {
    /// How many a second were answered then.
    let ceiling: Double
    /// When the rest ends that the other side asked for.
    let start: Duration
    /// How long the rate takes to be at the ceiling again.
    let approach: Duration
    /// How often in a row the ceiling was right.
    let confidence: Int
  }

  /// The slowest rate, in a second: below that the rests alone hold everybody back.
  private static let minimum = 1.0
  /// The share of the ceiling with which it goes on.
  private static let reduction = 0.9
  /// An approach in rests of the lane, for each step of confidence: what a rest costs is small.
  private static let approachInRests = 5
  private static let maximumConfidence = 8
  /// How much may begin at once after it could not for a while.
  private static let burst = Duration.milliseconds(100)
  /// Places come together for so long, so that a fast rate wakes nobody for each call.
  private static let batch = Duration.milliseconds(20)

  private var lesson: Lesson?
  /// When the next one would begin, if each had its own moment.
  private var next = Duration.zero
  /// When one or several may begin.
  private var opens = Duration.zero
  /// When the first one began since the last rest.
  private var begun: Duration?
  /// The ends of the last second that were good, in tenths of it, and all since the last rest.
  private var answers = RecentAnswers()
  private var lane: Lane?
  private var isShared = false

  package init() {}

  /// How many a second may begin; nil for any number.
  package func rate(at now: Duration) -> Double? {
    guard let lesson else { return nil }
    let position = (now - lesson.start) / lesson.approach - 1
    let growth = 1 + (1 - Self.reduction) * position * position * position
    return growth > 16 ? nil : max(lesson.ceiling * growth, Self.minimum)
  }

  /// How many may begin now; nil for any number.
  package func places(at now: Duration) -> Int? {
    guard nextStart(at: now) == nil else { return 0 }
    guard let rate = rate(at: now) else { return nil }
    let saved = min(now - next, Self.burst)
    return 1 + Int(saved / .seconds(1) * rate)
  }

  /// When somebody who has to wait may begin; nil where nobody has to.
  ///
  /// It stays as it was told until something begins or is pushed back: nobody is woken earlier.
  package func nextStart(at now: Duration) -> Duration? {
    lesson != nil && now < opens ? opens : nil
  }

  /// One began.
  package mutating func began(at now: Duration) {
    begun = begun ?? now
    guard let rate = rate(at: now) else { return }
    next = max(next, now - Self.burst) + .seconds(1 / rate)
    let others = (Self.batch / .seconds(1) * rate).rounded(.down)
    opens = next <= now ? now : next + .seconds(others / rate)
  }

  /// One ended well, in a lane.
  package mutating func succeeded(in lane: Lane, at now: Duration) {
    heard(from: lane)
    guard now >= lesson?.start ?? now else { return }
    answers.add(at: now)
  }

  private mutating func heard(from lane: Lane) {
    self.lane = self.lane ?? lane
    if self.lane != lane { (isShared, lesson) = (true, nil) }
  }

  /// The other side asked to slow down.
  ///
  /// - Parameters:
  ///   - lane: The lane that rests.
  ///   - rest: For how long.
  ///   - now: The time.
  package mutating func pushedBack(in lane: Lane, resting rest: Duration, at now: Duration) {
    heard(from: lane)
    guard !isShared, now >= lesson?.start ?? now else { return }
    let pause = max(rest, .seconds(1))
    let span = min(max(now - (begun ?? now), .milliseconds(50)), RecentAnswers.span(at: now))
    let answered = Double(max(answers.recent(at: now), 1)) / (span / .seconds(1))
    var (ceiling, confidence) = (answered, 1)
    if let lesson, let rate = rate(at: now) {
      if answers.total < 3 {
        ceiling = rate / 2
      } else {
        // A count of one second is coarse: it tells more than the rate only where it is far below.
        ceiling = answered + 1 < rate * 0.8 ? answered : rate
        let wasRight = rate < lesson.ceiling * 1.25
        confidence = wasRight ? min(lesson.confidence * 2, Self.maximumConfidence) : 1
      }
    }
    lesson = Lesson(
      ceiling: ceiling, start: now + rest,
      approach: pause * Self.approachInRests * confidence, confidence: confidence)
    next = now + rest
    opens = next
    begun = nil
    answers = RecentAnswers()
  }
}

/// How many ends were good within the last second, in ten parts of it.
private struct RecentAnswers: Sendable, Equatable {
  private static let part = Duration.milliseconds(100)

  private(set) var total = 0
  private var parts: [Int] = Array(repeating: 0, count: 10)
  /// The number of the last part, counted from the beginning of time.
  private var last = 0

  /// How long the parts go back: the last one has not passed yet.
  static func span(at now: Duration) -> Duration {
    part * 9 + (now - part * Int(now / part))
  }

  mutating func add(at now: Duration) {
    pass(to: now)
    parts[last % parts.count] += 1
    total += 1
  }

  func recent(at now: Duration) -> Int {
    var passed = self
    passed.pass(to: now)
    return passed.parts.reduce(0, +)
  }

  private mutating func pass(to now: Duration) {
    let current = Int(now / Self.part)
    guard current > last else { return }
    for part in (last + 1)...min(current, last + parts.count) { parts[part % parts.count] = 0 }
    last = current
  }
}
