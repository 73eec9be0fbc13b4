// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
package import Foundation
internal import InventoryUpstream

/// One run of both programs under a plan.
package struct Demo: Sendable {
  /// How many clients post side by side; all posts for one thing come from one of them.
  static let clients = 4

  /// How long the queue may need after the service was healed.
  private static let drainLimit = Duration.seconds(90)
  /// How long a phase may wait for the requests that it needs, beyond its own time.
  private static let meetingLimit = Duration.seconds(12)
  /// How long nothing may happen after the queue is empty, before the books are read.
  private static let silence = Duration.milliseconds(1500)

  private let plan: Plan
  private let programs: URL
  private let folder: URL
  private let children: Children
  private let progress: ProgressLine

  /// - Parameters:
  ///   - plan: What is done.
  ///   - programs: The folder in which both programs were built.
  ///   - folder: Where both keep their files; it must exist.
  ///   - children: Takes the programs that are started.
  ///   - progress: Is told how far it is.
  package init(
    _ plan: Plan, programs: URL, folder: URL, children: Children, progress: ProgressLine
  ) {
    self.plan = plan
    self.programs = programs
    self.folder = folder
    self.children = children
    self.progress = progress
  }

  /// Runs the plan.
  ///
  /// - Returns: What there is to be judged.
  /// - Throws: `DemoFailure` where a program cannot be started or asked.
  package func run() async throws -> Evidence {
    let http = Wire.connections()
    do {
      let evidence = try await run(http)
      try await http.shutdown()
      return evidence
    } catch {
      try? await http.shutdown()
      throw error
    }
  }

  private func run(_ http: HTTPClient) async throws -> Evidence {
    let upstream = try await children.start(
      programs.appending(path: "inventory-upstream"),
      ["--port", "0", "--allow-control", "--data", folder.appending(path: "upstream").path],
      log: folder.appending(path: "inventory-upstream.log"))
    let service = Service(wire: Wire(port: upstream.port, http: http))
    let app = try await AppUnderTest(
      children, program: programs.appending(path: "inventory"), folder: folder,
      upstream: upstream.port, http: http)
    let recorder = Recorder()
    for phase in plan.phases { try await run(phase, service, app, recorder) }
    var evidence = Evidence(phases: plan.phases, plannedKills: plan.size.kills)
    try await service.switchFaults(FaultSettings(), phase: plan.phases.count)
    evidence.secondsToDrain = try await drain(app, recorder)
    try await Task.sleep(for: Self.silence)
    evidence.posts = recorder.posts
    evidence.kills = await app.kills
    evidence.ledger = try await service.ledger()
    evidence.twins = try await service.twins()
    evidence.queue = try await status(app)
    let known = Set(evidence.posts.compactMap(\.acceptedID)).union(evidence.twins.keys)
    evidence.items = try await Items(wire: app.wire).read(known)
    progress.end()
    let ends = [await app.stop(), await upstream.stop(SIGTERM)]
    guard ends == [0, 0] else {
      throw DemoFailure("The programs ended with the statuses \(ends) instead of 0 when asked to.")
    }
    return evidence
  }
}

// A phase.
extension Demo {
  private func run(
    _ phase: Phase, _ service: Service, _ app: AppUnderTest, _ recorder: Recorder
  ) async throws {
    try await service.switchFaults(phase.faults, phase: phase.number)
    let start = ContinuousClock.now
    let before = (accepted: recorder.accepted, finished: recorder.finished)
    try await withThrowingTaskGroup { group in
      for number in 0..<Self.clients {
        let actions = phase.actions.filter { $0.item % Self.clients == number }
        group.addTask { try await Client(app: app, recorder: recorder).play(actions) }
      }
      group.addTask {
        for kill in phase.kills {
          let isOver = { @Sendable in recorder.finished - before.finished >= phase.actions.count }
          while recorder.accepted - before.accepted < kill.accepted, !isOver() {
            try await Task.sleep(for: .milliseconds(2))
          }
          try await Task.sleep(for: kill.delay)
          try await app.killAndRestart { recorder.isUnderWay || isOver() }
        }
      }
      group.addTask {
        while ContinuousClock.now < start + phase.hold {
          await show(phase, recorder, app)
          try await Task.sleep(for: .milliseconds(100))
        }
      }
      try await group.waitForAll()
    }
    // A service that is left alone by an open circuit is met a little later.
    let latest = ContinuousClock.now + Self.meetingLimit
    while try await service.requests(since: Mark(.after, phase: phase.number)) < phase.requests,
      ContinuousClock.now < latest
    { try await Task.sleep(for: .milliseconds(200)) }
  }

  private func show(_ phase: Phase, _ recorder: Recorder, _ app: AppUnderTest) async {
    let done = Double(recorder.finished) / Double(max(1, plan.actions.count))
    let kills = await app.kills
    progress.show(phase.name, done * 0.9, "\(recorder.accepted) accepted, \(kills) kills")
  }

  /// Waits until the queue is empty.
  ///
  /// - Returns: How long it took, in seconds; nil where it did not within the limit.
  private func drain(_ app: AppUnderTest, _ recorder: Recorder) async throws -> Double? {
    let start = ContinuousClock.now
    var most = 1
    while ContinuousClock.now < start + Self.drainLimit {
      let queue = try await status(app)
      let taken = (ContinuousClock.now - start) / .seconds(1)
      most = max(most, queue.pending)
      let done = 1 - Double(queue.pending) / Double(most)
      progress.show("draining", 0.9 + done * 0.1, "\(queue.pending) wait")
      if queue.pending == 0 { return taken }
      try await Task.sleep(for: .milliseconds(100))
    }
    return nil
  }

  private func status(_ app: AppUnderTest) async throws -> QueueReading {
    try await app.wire.send("GET", "/api/status").document(QueueReading.self)
  }
}
