// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Random loads that overlap, of two caches on one store, against what must come of them.
@Suite(.requirement("O39")) struct ResponseCacheWalkTests {
  /// A load that is on its way.
  private struct Flight {
    let title: String
    let began: Int
    let cache: Int
    let gate: BreakerBench.Gate
    let isFailing: Flag
    let isGone: Flag
    let task: Task<CachedValue<String>, any Error>
  }

  /// What is kept, in the plainest words.
  private struct Model {
    var kept: (title: String, began: Int, at: Duration, isExpired: Bool)?
    var lastRemoval = -1
    var now = Duration.zero

    /// What may be given after a failure.
    var shown: String? {
      guard let kept, now - kept.at <= .seconds(15) else { return nil }
      return kept.title
    }

    /// A load has found nothing: what was asked for before it is older than that.
    mutating func vanish(_ flight: Flight) {
      lastRemoval = max(lastRemoval, flight.began)
      if let kept, kept.began < flight.began { self.kept = nil }
    }

    mutating func end(_ flight: Flight, began at: Duration) {
      guard flight.began > lastRemoval, flight.began > (kept?.began ?? -1) else { return }
      kept = (flight.title, flight.began, at, false)
    }
  }

  @Test func `late answers and removals never bring back what is older, nor lose a change`() async {
    for seed in 0..<max(100, RandomDose.schedules / 20) {
      if let disagreement = await walk(seed) {
        Issue.record("seed \(seed): \(disagreement)")
        return
      }
    }
  }

  /// Two caches on one store, and what is on its way there.
  private struct Course {
    var random: SplitMix64
    var model = Model()
    var flights: [Flight] = []
    /// When each load began.
    var times: [Int: Duration] = [:]
    /// Callers of one cache share a load until something is invalidated there.
    var busy: Set<Int> = []
    let clock = ManualClock()
    let caches: [ResponseCache]

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      let (clock, store) = (clock, MemoryCacheStore(clock: clock))
      let policy = CachePolicy(freshFor: .seconds(5), staleIfError: .within(.seconds(10)))
      caches = (0...1).map { _ in
        ResponseCache("c", of: .account(1), in: store, policy: policy, clock: clock)
      }
    }

    mutating func begin(_ step: Int, _ chosen: Int) async {
      guard busy.insert(chosen).inserted else { return }
      let (gate, isFailing, isGone, cache) = (BreakerBench.Gate(), Flag(), Flag(), caches[chosen])
      let task = Task {
        try await cache.refresh("a", as: String.self) {
          await gate.pass()
          if isFailing.isRaised { throw AppError.http(status: 503, isRepeatable: true) }
          if isGone.isRaised { throw AppError.http(status: 404) }
          return "\(step)"
        }
      }
      await gate.arrivals(atLeast: 1)
      times[step] = model.now
      flights.append(
        Flight(
          title: "\(step)", began: step, cache: chosen, gate: gate, isFailing: isFailing,
          isGone: isGone, task: task))
    }

    /// Ends some load, and says what is wrong with its answer.
    mutating func end() async -> String? {
      guard !flights.isEmpty else { return nil }
      let flight = flights.remove(at: Int.random(in: 0..<flights.count, using: &random))
      if !flights.contains(where: { $0.cache == flight.cache && $0.began > flight.began }) {
        busy.remove(flight.cache)
      }
      let fails = Int.random(in: 0...2, using: &random) == 0
      let vanishes = !fails && Int.random(in: 0...3, using: &random) == 0
      if fails {
        flight.isFailing.raise()
      } else if vanishes {
        flight.isGone.raise()
        model.vanish(flight)
      } else {
        model.end(flight, began: times[flight.began, default: .zero])
      }
      flight.gate.open()
      let answer = try? await flight.task.value
      let expected = fails ? model.shown : vanishes ? nil : flight.title
      guard answer?.value == expected else {
        return "\(String(describing: answer)) instead of \(expected ?? "nothing")"
      }
      if fails, let answer, answer.freshness.cause == nil { return "a failure without a cause" }
      return nil
    }
  }

  private func walk(_ seed: UInt64) async -> String? {
    var course = Course(seed: seed)
    for step in 0..<40 {
      let chosen = Int.random(in: 0...1, using: &course.random)
      let cache = course.caches[chosen]
      switch Int.random(in: 0..<10, using: &course.random) {
      case 0..<3: await course.begin(step, chosen)
      case 3..<6:
        if let wrong = await course.end() { return "step \(step): \(wrong)" }
      case 6:
        await cache.invalidate(.key("a"))
        course.model.lastRemoval = step
        course.model.kept?.isExpired = true
        course.busy.remove(chosen)
      case 7:
        await cache.remove(.prefix(""))
        (course.model.lastRemoval, course.model.kept) = (step, nil)
        course.busy.remove(chosen)
      case 8:
        await cache.keep("\(step)", for: "a")
        course.model.kept = ("\(step)", step, course.model.now, false)
        course.busy.remove(chosen)
      default:
        let time = Duration.seconds(Int.random(in: 1...6, using: &course.random))
        course.clock.advance(by: time)
        course.model.now += time
      }
      let seen = await cache.cached("a", as: String.self)
      guard seen?.value == course.model.shown else {
        return "step \(step): shows \(String(describing: seen)) instead of \(course.model)"
      }
      if let kept = course.model.kept, let seen {
        let isFresh = !kept.isExpired && course.model.now - kept.at < .seconds(5)
        guard seen.freshness.isFresh == isFresh else { return "step \(step): \(seen) of \(kept)" }
      }
    }
    for flight in course.flights {
      flight.gate.open()
      _ = try? await flight.task.value
    }
    return nil
  }
}
