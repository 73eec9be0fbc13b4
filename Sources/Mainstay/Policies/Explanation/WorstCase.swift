// SPDX-License-Identifier: Apache-2.0

/// The worst that can happen to one call of a pipeline.
struct WorstCase: Sendable, Equatable {
  enum Time: Sendable, Equatable {
    case atMost(Duration)
    case unbounded(because: String)
  }

  /// How often the operation runs.
  private(set) var calls = 1
  /// How long everything takes.
  private(set) var time = Time.unbounded(because: "the operation has no time limit of its own")
  /// Whether something so far may refuse a call and say when to come back.
  private var refusesWithTime = false

  /// Goes through the stages from the inside out.
  init(of stages: [StageSummary]) {
    for (index, stage) in stages.enumerated().reversed() {
      surround(with: stage, inside: stages.around(index))
      refusesWithTime = refusesWithTime || stage.refusesWithTime
    }
  }

  private mutating func surround(
    with stage: StageSummary, inside around: ArraySlice<StageSummary>
  ) {
    switch stage.effect {
    case .refuses: break
    case .delays(let delay?): add(delay)
    case .delays(nil): time = .unbounded(because: "\(stage.title) may make it wait for ever")
    case .unknown: time = .unbounded(because: "nobody knows how long \(stage.title) takes")
    case .bounds(let limit):
      if case .atMost(let inner) = time, inner <= limit { break }
      time = .atMost(limit)
    case .copies(let count, let delay):
      calls = calls.multiplied(by: count)
      guard case .atMost(let inner) = time else { break }
      // A copy that has failed is followed at once, so none is waited for longer than it can take.
      let gap = delay.map { min($0, inner) } ?? inner
      time = .atMost(inner.sum(gap.multiplied(by: count - 1)))
    case .repeats(let repetition):
      guard !(repetition.yieldsToOuter && around.contains { $0.kind == .retry }) else { break }
      calls = calls.multiplied(by: repetition.attempts)
      guard case .atMost(let inner) = time, repetition.attempts > 1 else { break }
      time = longest(repetition, each: inner, isLimited: around.contains(where: \.isLimit))
    }
  }

  /// How long all attempts take together, with the waits and the steps between them.
  ///
  /// A refusal that says when to come back is waited for as long as the limits allow, whatever a
  /// service may ask for; where there are none, it is not waited for at all.
  private func longest(
    _ repetition: StageSummary.Repetition, each inner: Duration, isLimited: Bool
  ) -> Time {
    // The last attempt begins, or the last step does, before the time for all of them is over.
    let bound = repetition.elapsed.map { $0.sum(max(inner, repetition.longestStep)) }
    if refusesWithTime, bound != nil || isLimited {
      let reason = "it waits as long as the limits around it allow"
      return bound.map { .atMost($0) } ?? .unbounded(because: reason)
    }
    let steps = repetition.longestStep.multiplied(by: repetition.attempts - 1)
    let total = inner.multiplied(by: repetition.attempts).sum(repetition.askedWaits).sum(steps)
    return .atMost(bound.map { min(total, $0) } ?? total)
  }

  private mutating func add(_ delay: Duration) {
    guard case .atMost(let inner) = time else { return }
    time = .atMost(inner.sum(delay))
  }
}

extension Int {
  /// The product, or the largest number where it does not fit.
  fileprivate func multiplied(by factor: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: factor)
    return overflows ? .max : product
  }
}

extension Duration {
  /// A product of at most a year.
  package func multiplied(by factor: Int) -> Duration {
    .clamped(seconds: inSeconds * Double(factor))
  }

  /// A sum of at most a year.
  fileprivate func sum(_ other: Duration) -> Duration { (clamped + other.clamped).clamped }
}
