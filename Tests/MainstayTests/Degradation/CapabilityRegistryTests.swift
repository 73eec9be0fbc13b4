// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2)) struct CapabilityRegistryTests {
  private struct Broken: Error {}

  private static var raised: Flag {
    let flag = Flag()
    flag.raise()
    return flag
  }

  /// A capability that works once the flag says so.
  private func camera(
    _ log: Log, works: Flag, hasFallback: Bool = false
  ) -> Capability<Int, String> {
    Capability(.camera) {
      log.add("checked")
      guard works.isRaised else { throw AppError.Capability.unavailable("camera") }
    } execute: { number in
      guard number >= 0 else { throw Broken() }
      return "picture \(number)"
    } fallback: { [hasFallback] number in
      guard hasFallback, number < 100 else { throw Broken() }
      return "drawing \(number)"
    }
  }

  /// The same with nothing that stands in for it.
  private func plainCamera(_ log: Log, works: Flag) -> Capability<Int, String> {
    Capability(.camera) {
      log.add("checked")
      guard works.isRaised else { throw AppError.Capability.unavailable("camera") }
    } execute: { number in
      guard number >= 0 else { throw Broken() }
      return "picture \(number)"
    }
  }

  @Test func `what is not known is found out first, and once`() async throws {
    let (log, registry) = (Log(), CapabilityRegistry(clock: ManualClock()))
    let camera = camera(log, works: Self.raised)
    registry.register(camera)
    #expect(registry.status(of: .camera) == .unknown)
    #expect(try await registry.execute(camera, 1) == "picture 1")
    #expect(try await registry.execute(camera, 2) == "picture 2")
    #expect(log.lines == ["checked"] && registry.status(of: .camera).isAvailable)
  }

  @Test(.requirement("A18")) func `what stands in is used where it does not work, or fails`()
    async throws
  {
    let registry = CapabilityRegistry(clock: ManualClock())
    let camera = camera(Log(), works: Flag(), hasFallback: true)
    registry.register(camera)
    #expect(try await registry.execute(camera, 1) == "drawing 1")
    registry.report(.camera, nil)
    #expect(try await registry.execute(camera, 1) == "picture 1")
    #expect(try await registry.execute(camera, -1) == "drawing -1")
    registry.report(.camera, AppError.Capability.unavailable("camera").appError)
    let error = await #expect(throws: AppError.self) { try await registry.execute(camera, 100) }
    #expect(error?.code == AppError.Capability.fallbackUnavailable("").appError.code)
  }

  @Test(arguments: [true, false])
  func `where both fail the error and its report keep why, in order`(works: Bool) async throws {
    let (registry, flag) = (CapabilityRegistry(clock: ManualClock()), Flag())
    if works { flag.raise() }
    let camera = camera(Log(), works: flag)
    registry.register(camera)
    let error = await #expect(throws: AppError.self) { try await registry.execute(camera, -1) }
    let reason =
      works
      ? AppError.Capability.executionFailed(Broken()) : AppError.Capability.unavailable("camera")
    let failure = try #require(error)
    #expect(failure.underlying.map { ($0 as? AppError)?.code } == [reason.appError.code, nil])
    #expect(failure.underlying.last is Broken && failure.cause(as: Broken.self) != nil)
    #expect(failure.message == AppError.Capability.fallbackUnavailable("").appError.message)
    let monitor = ErrorMonitor()
    monitor.capture(failure)
    let report = try #require(monitor.history.first)
    #expect(report.causes.first?.code == reason.appError.code.rawValue)
    #expect(report.causes.count { $0.type.hasSuffix("Broken") } == (works ? 2 : 1))
  }

  @Test func `without one it says why it does not work, or what failed`() async throws {
    let registry = CapabilityRegistry(clock: ManualClock())
    let works = Flag()
    let camera = plainCamera(Log(), works: works)
    registry.register(camera)
    let missing = await #expect(throws: AppError.self) { try await registry.execute(camera, 1) }
    #expect(missing?.code == AppError.Capability.unavailable("").appError.code)
    works.raise()
    #expect(await registry.revalidate())
    let failed = await #expect(throws: AppError.self) { try await registry.execute(camera, -1) }
    #expect(failed?.code == AppError.Capability.executionFailed(Broken()).appError.code)
    #expect(failed?.cause(as: Broken.self) != nil)
    // One failure does not say that it does not work.
    #expect(registry.status(of: .camera).isAvailable)
  }

  @Test func `finding out that never returns ends at its limit`() async {
    let clock = ManualClock()
    let registry = CapabilityRegistry(clock: clock)
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    registry.register(
      Capability("deaf", validateWithin: .seconds(2)) {
        await Task { for await _ in held { break } }.value
      })
    let asked = Task { await registry.validate("deaf") }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    guard case .unavailable(let error) = await asked.value else {
      return _ = #expect(Bool(false), "it counts as there")
    }
    #expect(error.code == AppError.Capability.validationTimedOut("").appError.code)
    release.yield()
  }

  @Test func `requirements come first, and circles end`() async {
    let (log, registry) = (Log(), CapabilityRegistry(clock: ManualClock()))
    registry.register(Capability("a", requires: ["b"]) { log.add("a") })
    registry.register(Capability("b") { log.add("b") })
    #expect(await registry.validate("a").isAvailable && log.lines == ["b", "a"])
    registry.register(Capability("b", requires: ["a"]) { log.add("never") })
    registry.register(Capability("lonely", requires: ["unheard-of"]) { log.add("never") })
    registry.register(Capability("itself", requires: ["itself"]) { log.add("never") })
    await registry.validateAll()
    for id: CapabilityRegistry.ID in ["a", "b", "lonely", "itself"] {
      guard case .unavailable(let error) = registry.status(of: id) else {
        _ = #expect(Bool(false), "\(id.rawValue) counts as there")
        continue
      }
      #expect(error.code == AppError.Capability.requirementNotMet("").appError.code)
    }
    #expect(!log.lines.contains("never"))
  }

  @Test(.requirement("A10", "A18")) func `a plan finds out again, and a retry goes on`()
    async throws
  {
    let (log, registry, works) = (Log(), CapabilityRegistry(clock: ManualClock()), Flag())
    let camera = plainCamera(log, works: works)
    registry.register(camera)
    let retry = Retry(backoff: .constant(.zero, jitter: .none))
      .recovering(by: RecoveryPlan([.revalidating(registry)]))
    // Still broken: the step mends nothing, and there is no second attempt.
    await #expect(throws: AppError.self) {
      try await retry.run { try await registry.execute(camera, 1) }
    }
    works.raise()
    let answer = try await retry.run { try await registry.execute(camera, 1) }
    #expect(answer == "picture 1" && registry.status(of: .camera).isAvailable)
  }

  @Test(.requirement("A10", "A18")) func `a plan finds out again whatever the reason was`()
    async throws
  {
    let registry = CapabilityRegistry(clock: ManualClock())
    let retry = Retry(backoff: .constant(.zero, jitter: .none))
      .recovering(by: RecoveryPlan([.revalidating(registry)]))
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "storage-\(UUID().uuidString)")
    let works = Flag()
    let build = Date(timeIntervalSince1970: 1_790_000_000)
    let storage = Capability.storage(in: folder, freeBytes: 0)
    let clock = Capability.clock(
      notBefore: build, date: { works.isRaised ? build : Date(timeIntervalSince1970: 0) })
    registry.register(storage)
    registry.register(clock)
    registry.register(Capability("other") { throw Broken() })
    await registry.validateAll()
    let refused = await #expect(throws: AppError.self) { try await registry.execute(clock, ()) }
    #expect(refused?.code == AppError.Framework.configuration("").appError.code)
    works.raise()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // What else does not work is not asked about.
    try await retry.run { try await registry.execute(clock, ()) }
    try await retry.run { try await registry.execute(storage, ()) }
    #expect(registry.status(of: .clock).isAvailable && registry.status(of: .storage).isAvailable)
  }

  @Test func `the step of a plan ends by the clock of the registry`() async {
    let clock = ManualClock()
    let registry = CapabilityRegistry(clock: clock)
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    registry.register(
      Capability("deaf", validateWithin: .seconds(60)) {
        await Task { for await _ in held { break } }.value
      })
    let missing = AppError.Capability.unavailable("deaf").appError
    registry.report("deaf", missing)
    let plan = RecoveryPlan([.revalidating(registry)])
    let run = Task { await plan.recover(from: missing) }
    // One for the capability, and one for the step.
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(10))
    guard case .failed("revalidate capabilities", let error) = await run.value else {
      return _ = #expect(Bool(false), "it did not fail")
    }
    #expect(error.kind == .timeout)
    release.yield()
  }

  @Test(.requirement("A45")) func `a controller hears what is missing`() async {
    let registry = CapabilityRegistry(clock: ManualClock())
    let controller = DegradationController(.standard, clock: ManualClock())
    controller.follow(registry)
    registry.register(camera(Log(), works: Flag()))
    #expect(controller.status.level == .full)
    await registry.validateAll()
    for await status in controller.updates where status.level == .limited { break }
    controller.end()
  }

  @Test(.requirement("A45")) func `what a registry says again does not overrule who knows better`()
    async
  {
    let registry = CapabilityRegistry(clock: ManualClock())
    let plan = DegradationPlan(
      needs: DegradationPlan.standard.needs,
      features: [.init("map", needs: ["map"]), .init("sync", needs: [.network])])
    let controller = DegradationController(plan, clock: ManualClock())
    for id: CapabilityRegistry.ID in [.network, "map"] { registry.register(Capability(id) {}) }
    await registry.validateAll()
    /// Something else that changes in the registry, and when that has been heard.
    func changeMap(isThere: Bool) async {
      registry.report("map", isThere ? nil : AppError.Capability.unavailable("map").appError)
      for await status in controller.updates where status.features[0].isAvailable == isThere {
        break
      }
    }
    controller.follow(registry)
    await changeMap(isThere: false)
    // As a monitor does.
    controller.report(.network, isMet: false)
    #expect(controller.status.level == .offline)
    await changeMap(isThere: true)
    #expect(controller.status.features[1].missing == [.network])
    registry.register(Capability(.network) {})
    await changeMap(isThere: false)
    #expect(controller.status.features[1].missing == [.network])
    // The other way round.
    registry.report(.network, AppError.Network.offline.appError)
    await changeMap(isThere: true)
    controller.report(.network, isMet: true)
    await changeMap(isThere: false)
    #expect(controller.status.features[1].missing.isEmpty)
    controller.end()
  }

  @Test func `what was found about one says nothing of the one that replaced it`() async {
    let registry = CapabilityRegistry(clock: ManualClock())
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    registry.register(Capability(.camera) { for await _ in held { break } })
    let asked = await started { await registry.validate(.camera) }
    registry.register(Capability(.camera) { throw Broken() })
    release.yield()
    _ = await asked.result
    #expect(registry.status(of: .camera) == .unknown)
    #expect(await !registry.validate(.camera).isAvailable)
  }

  @Test func `whoever asks about one that replaced another gets an answer about that one`()
    async throws
  {
    let registry = CapabilityRegistry(clock: ManualClock())
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    registry.register(Capability(.camera) { for await _ in held { break } })
    let asked = await started { await registry.validate(.camera) }
    registry.register(Capability(.camera) { throw Broken() })
    // The first one still hangs.
    #expect(await !registry.validate(.camera).isAvailable)
    release.yield()
    #expect(try await asked.value.isAvailable)
    #expect(!registry.status(of: .camera).isAvailable)
  }

  @Test func `a report that comes while it is found out is newer, and stays`() async throws {
    let (log, registry) = (Log(), CapabilityRegistry(clock: ManualClock()))
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    registry.register(
      Capability(.camera) {
        log.add("checked")
        if log.lines.count == 1 { for await _ in held { break } }
      })
    let asked = Task { await registry.validate(.camera) }
    await log.lines(atLeast: 1)
    let denied = CapabilityRegistry.Status.unavailable(.cameraDenied())
    registry.report(.camera, .cameraDenied())
    release.yield()
    #expect(await asked.value == denied && registry.status(of: .camera) == denied)
    // Who asks after that is answered anew.
    #expect(await registry.validate(.camera).isAvailable)
    #expect(registry.status(of: .camera).isAvailable && log.lines.count == 2)
  }

  @Test func `a cancelled question says nothing`() async {
    let registry = CapabilityRegistry(clock: ManualClock())
    let clock = ManualClock()
    registry.register(Capability(.camera) { try await clock.sleep(for: .seconds(3_600)) })
    let asked = Task { await registry.validate(.camera) }
    asked.cancel()
    #expect(await asked.value == .unknown && registry.status(of: .camera) == .unknown)
  }

  @Test(.requirement("E12", "E35"), arguments: [false, true])
  func `a call that is cancelled while that is found out is a cancellation`(hasFallback: Bool)
    async throws
  {
    let (log, clock, registry) = (Log(), ManualClock(), CapabilityRegistry(clock: ManualClock()))
    let drawing: @Sendable (Int) async throws -> String = { _ in
      log.add("drawn")
      return "drawing"
    }
    let camera = Capability<Int, String>(
      .camera, validate: { try await clock.sleep(for: .seconds(3_600)) },
      execute: { _ in "picture" }, fallback: hasFallback ? drawing : nil)
    registry.register(camera)
    let call = Task { try await registry.execute(camera, 1) }
    await clock.sleepers(atLeast: 1)
    call.cancel()
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.isCancellation == true && log.lines.isEmpty)
    #expect(registry.status(of: .camera) == .unknown)
    // What finds out may end as cancelled by itself, also for what requires it.
    registry.register(Capability("lens") { throw CancellationError() })
    let zoom = Capability<Int, String>("zoom", requires: ["lens"]) {
    } execute: { _ in
      "zoomed"
    }
    registry.register(zoom)
    let stopped = await #expect(throws: AppError.self) { try await registry.execute(zoom, 1) }
    #expect(stopped?.isCancellation == true && registry.status(of: "zoom") == .unknown)
  }

  @Test func `storage is tried out, and the clock is looked at`() async throws {
    let registry = CapabilityRegistry(clock: ManualClock())
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "storage-\(UUID().uuidString)")
    registry.register(.storage(in: folder))
    guard case .unavailable = await registry.validate(.storage) else {
      return _ = #expect(Bool(false), "a folder that is not there counts as there")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(await registry.validate(.storage).isAvailable)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    registry.register(.storage(in: folder, freeBytes: .max))
    guard case .unavailable(let full) = await registry.validate(.storage) else {
      return _ = #expect(Bool(false), "there is more room than can be")
    }
    #expect(full.kind == .storageFull)
    let build = Date(timeIntervalSince1970: 1_790_000_000)
    registry.register(.clock(notBefore: build, date: { Date(timeIntervalSince1970: 0) }))
    #expect(await !registry.validate(.clock).isAvailable)
    registry.register(.clock(notBefore: build, date: { build }))
    #expect(await registry.validate(.clock).isAvailable)
  }

  @Test func `the network is what a monitor presents`() async {
    let clock = ManualClock()
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    let registry = CapabilityRegistry(clock: clock)
    registry.register(.network(monitor))
    #expect(await registry.validate(.network).isAvailable)
    source.say(.offline)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    // What sleeps is woken by then, and presents it soon after.
    for await presented in monitor.presentation where presented.standing == .offline { break }
    #expect(await !registry.validate(.network).isAvailable)
    monitor.shutDown()
  }
}
