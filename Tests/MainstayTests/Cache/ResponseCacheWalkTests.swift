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
    let task: Task<CachedValue<String>, any Error>
  }

  /// What is kept, in the plainest words.
  private struct Model {
    var kept: (title: String, began: Int, at: Duration, isExpired: Bool)?
    var lastRemoval = -1
    var now = Duration.zero

    mutating func end(_ flight: Flight, began at: Duration) {
      guard flight.began > lastRemoval, flight.began > (kept?.began ?? -1) else { return }
      kept = (flight.title, flight.began, at, false)
    }
  }

  @Test func `late answers, invalidations and removals never bring back what is older`() async {
    for seed in 0..<max(100, RandomDose.schedules / 20) {
      if let disagreement = await walk(seed) {
        Issue.record("seed \(seed): \(disagreement)")
        return
      }
    }
  }

  private func walk(_ seed: UInt64) async -> String? {
    var (random, model) = (SplitMix64(seed: seed), Model())
    let clock = ManualClock()
    let store = MemoryCacheStore(clock: clock)
    let policy = CachePolicy(freshFor: .seconds(5), staleIfError: .within(.seconds(10)))
    let caches = (0...1).map { _ in
      ResponseCache("c", of: .account(1), in: store, policy: policy, clock: clock)
    }
    var (flights, times): ([Flight], [Int: Duration]) = ([], [:])
    // Callers of one cache share a load until something is invalidated there.
    var busy: Set<Int> = []
    for step in 0..<40 {
      let chosen = Int.random(in: 0...1, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0..<3:
        guard busy.insert(chosen).inserted else { continue }
        let (gate, isFailing) = (BreakerBench.Gate(), Flag())
        let task = Task {
          try await caches[chosen].refresh("a", as: String.self) {
            await gate.pass()
            if isFailing.isRaised { throw AppError.http(status: 503) }
            return "\(step)"
          }
        }
        await gate.arrivals(atLeast: 1)
        times[step] = model.now
        flights.append(
          Flight(
            title: "\(step)", began: step, cache: chosen, gate: gate, isFailing: isFailing,
            task: task))
      case 3..<6:
        guard !flights.isEmpty else { continue }
        let flight = flights.remove(at: Int.random(in: 0..<flights.count, using: &random))
        if !flights.contains(where: { $0.cache == flight.cache && $0.began > flight.began }) {
          busy.remove(flight.cache)
        }
        let fails = Int.random(in: 0...2, using: &random) == 0
        if fails {
          flight.isFailing.raise()
        } else {
          model.end(flight, began: times[flight.began, default: .zero])
        }
        flight.gate.open()
        let answer = try? await flight.task.value
        let expected = fails ? shown(model) : flight.title
        guard answer?.value == expected else {
          return "step \(step): \(String(describing: answer)) instead of \(expected ?? "nothing")"
        }
        if fails, let answer, answer.freshness.cause == nil { return "a failure without a cause" }
      case 6:
        await caches[chosen].invalidate(.key("a"))
        model.lastRemoval = step
        model.kept?.isExpired = true
        busy.remove(chosen)
      case 7:
        await caches[chosen].remove(.prefix(""))
        (model.lastRemoval, model.kept) = (step, nil)
        busy.remove(chosen)
      default:
        let time = Duration.seconds(Int.random(in: 1...6, using: &random))
        clock.advance(by: time)
        model.now += time
      }
      let seen = await caches[chosen].cached("a", as: String.self)
      guard seen?.value == shown(model) else {
        return "step \(step): shows \(String(describing: seen)) instead of \(model)"
      }
      if let kept = model.kept, let seen {
        let isFresh = !kept.isExpired && model.now - kept.at < .seconds(5)
        guard seen.freshness.isFresh == isFresh else { return "step \(step): \(seen) of \(kept)" }
      }
    }
    for flight in flights {
      flight.gate.open()
      _ = try? await flight.task.value
    }
    return nil
  }

  /// What may be given after a failure.
  private func shown(_ model: Model) -> String? {
    guard let kept = model.kept, model.now - kept.at <= .seconds(15) else { return nil }
    return kept.title
  }
}
