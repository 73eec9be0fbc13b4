// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayServer
import MainstayTesting
import TestSupport
import Testing

/// Whether a process lives, and whether it can serve.
@Suite(.ends(withinMinutes: 2)) struct HealthTests {
  private struct Broken: Error {}

  private let clock = ManualClock()
  private let looks = Log()
  private let isWell = Flag()

  private func check(_ name: String, isNeeded: Bool = true) -> Health.Check {
    Health.Check(name, isNeeded: isNeeded) { [looks, isWell] in
      looks.add(name)
      guard isWell.isRaised else { throw Broken() }
    }
  }

  private func get(
    _ path: String, _ health: Health, showingFindings: Bool = false
  ) async throws -> (Int, String) {
    let router = Router()
    router.addHealth(health, showingFindings: showingFindings)
    return try await Application(router: router).test(.router) { client in
      let response = try await client.execute(uri: path, method: .get)
      #expect(response.headers[.cacheControl] == "no-store")
      return (response.status.code, String(buffer: response.body))
    }
  }

  @Test func `it lives while it answers, also when it cannot serve`() async throws {
    let health = Health([check("database")], clock: clock)
    health.stop()
    #expect(try await get("/live", health) == (200, #"{"status":"alive"}"#))
    #expect(try await get("/ready", health) == (503, #"{"status":"stopping"}"#))
  }

  @Test(arguments: [RouterOptions(), .autoGenerateHeadEndpoints])
  func `who asks for the head alone hears the same, whatever the router does`(
    _ options: RouterOptions
  ) async throws {
    let health = Health([check("database")], clock: clock)
    let router = Router(options: options)
    router.addHealth(health)
    try await Application(router: router).test(.router) { client in
      for (path, status) in [("/live", 200), ("/ready", 503)] {
        let response = try await client.execute(uri: path, method: .head)
        #expect(response.status.code == status)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.body.readableBytes == 0)
      }
    }
  }

  @Test func `it is ready when all that it needs is well, and strangers hear no more than that`()
    async throws
  {
    let health = Health([check("database"), check("search", isNeeded: false)], clock: clock)
    #expect(try await get("/ready", health) == (503, #"{"status":"not ready"}"#))
    isWell.raise()
    clock.advance(by: .seconds(1))
    #expect(try await get("/ready", health) == (200, #"{"status":"ready"}"#))
    let findings = #"{"findings":[{"isWell":true,"name":"database"},"#
    #expect(try await get("/ready", health, showingFindings: true).1.hasPrefix(findings))
  }

  @Test func `a service says at which levels no requests should come`() async throws {
    let levels = DegradationController(.standard)
    levels.report(.network, isMet: false)
    #expect(levels.status.level == .offline)
    for (unready, isReady) in [([.offline], false), ([], true), ([.minimal], true)]
      as [(Set<FeatureLevel>, Bool)]
    {
      let report = await Health(level: levels, unreadyAt: unready, clock: clock).report()
      #expect(report.isReady == isReady && report.level == .offline)
    }
    #expect(await Health(level: levels, clock: clock).report().isReady == false)
  }

  @Test func `what it can do without does not stop it`() async throws {
    let health = Health([check("search", isNeeded: false)], clock: clock)
    let report = await health.report()
    #expect(report.isReady)
    #expect(report.findings.map(\.isWell) == [false])
    #expect(report.findings.first?.code != nil)
  }

  @Test func `findings hold for a moment, however many ask`() async throws {
    isWell.raise()
    let health = Health([check("database")], clock: clock)
    for _ in 0..<5 { _ = await health.report() }
    #expect(looks.lines.count == 1)
    clock.advance(by: .seconds(1))
    _ = await health.report()
    #expect(looks.lines.count == 2)
  }

  @Test func `a check that hangs has failed after its time`() async throws {
    let gate = Countdown(1)
    let clock = clock
    let health = Health(
      [
        Health.Check("database", limit: .seconds(2)) {
          try await clock.sleep(for: .seconds(3600))
        }
      ], clock: clock)
    let asking = await started { await health.report() }
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(2))
    #expect(try await asking.value.isReady == false)
    gate.count()
  }

  @Test func `a process that is about to end is not ready at once, whatever was found before`()
    async throws
  {
    isWell.raise()
    let health = Health([check("database")], clock: clock)
    #expect(await health.report().isReady)
    health.stop()
    let report = await health.report()
    #expect(!report.isReady && report.isStopping)
  }

  @Test func `who asks and goes away leaves nothing behind for others`() async throws {
    let clock = clock
    let health = Health(
      [
        Health.Check("database") { [looks] in
          looks.add("look")
          if looks.lines.count == 1 { try await clock.sleep(for: .seconds(3600)) }
        }
      ], clock: clock)
    let asking = await started { await health.report() }
    await looks.lines(atLeast: 1)
    asking.cancel()
    #expect(try await !asking.value.isReady)
    #expect(await health.report().isReady)
  }

  @Test func `a check that cannot be stopped keeps nobody waiting, and is not begun anew`()
    async throws
  {
    let (gate, answered) = (Countdown(1), Flag())
    let health = Health(
      [
        Health.Check("database", limit: .seconds(2)) { [looks] in
          looks.add("look")
          await gate.passed()
        }
      ], clock: clock)
    let asking = await started { await health.report() }
    await clock.sleepers(atLeast: 1)
    // Its limit may run before the check itself does.
    await looks.lines(atLeast: 1)
    clock.advance(by: .seconds(2))
    let report = try await asking.value
    #expect(!report.isReady)
    #expect(report.findings.map(\.isWell) == [false])
    clock.advance(by: .seconds(1))
    let again = await started {
      defer { answered.raise() }
      return await health.report()
    }
    while !answered.isRaised, looks.lines.count == 1, !Task.isCancelled { await Task.yield() }
    #expect(looks.lines.count == 1)
    gate.count()
    #expect(try await !again.value.isReady)
    // Once it has ended it is looked at again.
    while await !health.report().isReady, !Task.isCancelled {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(looks.lines.count == 2)
  }
}
