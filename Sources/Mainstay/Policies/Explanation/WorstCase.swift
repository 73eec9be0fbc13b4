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

  /// Goes through the stages from the inside out.
  init(of stages: [StageSummary]) {
    for (index, stage) in stages.enumerated().reversed() {
      // A run that callers share belongs to nothing further out.
      let first = stages[..<index].lastIndex { $0.kind == .coalesce } ?? stages.startIndex
      let isInsideRetry = stages[first..<index].contains { $0.kind == .retry }
      surround(with: stage, isInsideRetry: isInsideRetry)
    }
  }

  private mutating func surround(with stage: StageSummary, isInsideRetry: Bool) {
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
      add(delay.multiplied(by: count - 1))
    case .repeats(let repetition):
      guard !(repetition.yieldsToOuter && isInsideRetry) else { break }
      calls = calls.multiplied(by: repetition.attempts)
      guard case .atMost(let inner) = time else { break }
      var total = inner.multiplied(by: repetition.attempts).sum(repetition.askedWaits)
      // The last attempt begins before the time for all of them is over.
      if let elapsed = repetition.elapsed { total = min(total, elapsed.sum(inner)) }
      time = .atMost(total)
    }
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
