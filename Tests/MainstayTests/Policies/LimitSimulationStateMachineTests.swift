// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Minutes of a service in virtual time.
@Suite struct LimitSimulationTests {
  private typealias Service = SimulatedService

  @Test(
    .requirement("P34"),
    arguments: [
      (AdaptiveLimit.Kind.aimd(), 40...75), (.vegas(), 45...80), (.gradient2(), 45...100),
    ])
  func `it finds out what the service can take`(
    kind: AdaptiveLimit.Kind, expected: ClosedRange<Int>
  ) {
    var service = Service(kind)
    service.run(seconds: 100)
    for _ in 0..<10 {
      service.run(seconds: 3)
      #expect(expected ~= service.limit)
    }
  }

  @Test(.requirement("P34"), arguments: LimitAlgorithmTests.kinds)
  func `it comes back after the service was slow for a while`(kind: AdaptiveLimit.Kind) {
    var service = Service(kind)
    service.run(seconds: 60)
    service.serviceTime = 2_000
    service.run(seconds: 40)
    #expect(service.limit < 100)
    service.serviceTime = 200
    service.run(seconds: 120)
    #expect(35..<110 ~= service.limit)
  }

  @Test(.requirement("P34"), arguments: LimitAlgorithmTests.kinds)
  func `it does not stay at one after everything was dropped`(kind: AdaptiveLimit.Kind) {
    var service = Service(kind)
    service.dropsAll = true
    service.run(seconds: 20)
    #expect(service.limit == 1)
    service.dropsAll = false
    service.run(seconds: 120)
    #expect(service.limit > 35)
  }

  @Test(.requirement("P34"), arguments: LimitAlgorithmTests.kinds)
  func `it does not creep up while there is little to do`(kind: AdaptiveLimit.Kind) {
    var service = Service(kind)
    service.demand = 3
    service.run(seconds: 300)
    #expect(3...20 ~= service.limit)
  }
}

/// A service with 50 workers and places for 20 calls that wait, and callers that want all of it.
private struct SimulatedService {
  private struct Call {
    let begin: Int
    let end: Int
    let inFlight: Int
    let epoch: UInt64
    let isDrop: Bool
  }

  private static let tick = 10

  /// How long a worker takes for a call, in milliseconds.
  var serviceTime = 200
  var demand = Int.max
  var dropsAll = false
  private var algorithm: LimitAlgorithm
  private var random = SplitMix64(seed: 7)
  private var now = 0
  /// The calls on their way, by the tick in which they end.
  private var calls: [Int: [Call]] = [:]
  private var inFlight = 0
  private var inService = 0
  /// When each worker is free; they take turns.
  private var workers = Array(repeating: 0, count: 50)
  private var next = 0

  init(_ kind: AdaptiveLimit.Kind) { algorithm = LimitAlgorithm(kind) }

  var limit: Int { algorithm.limit }

  mutating func run(seconds: Int) {
    let end = now + seconds * 1_000
    while now < end {
      now += Self.tick
      for call in calls.removeValue(forKey: now) ?? [] {
        inFlight -= 1
        if !call.isDrop { inService -= 1 }
        _ = algorithm.learn(
          .init(
            time: .milliseconds(call.end - call.begin), inFlight: call.inFlight,
            isDrop: call.isDrop),
          epoch: call.epoch, now: .milliseconds(now), fraction: random.fraction())
      }
      // Not all callers come in the same moment.
      for _ in 0..<8 where inFlight < min(algorithm.limit, demand) { begin() }
    }
  }

  private mutating func begin() {
    let time = serviceTime * Int.random(in: 90...110, using: &random) / 100
    let isDrop = dropsAll || inService >= workers.count + 20
    var end = now + Self.tick
    if !isDrop {
      end = max(now, workers[next]) + time
      workers[next] = end
      next = (next + 1) % workers.count
      inService += 1
    }
    inFlight += 1
    let call = Call(
      begin: now, end: end, inFlight: inFlight, epoch: algorithm.epoch, isDrop: isDrop)
    calls[(end + Self.tick - 1) / Self.tick * Self.tick, default: []].append(call)
  }
}
