// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

@MainActor @Suite(.ends(withinMinutes: 2)) struct TaskModelRecoveryTests {
  typealias Work = TaskModelTests.Work

  @Test(.requirement("A13", "A14"))
  func `what a plan mends is not shown, and it is seen meanwhile`()
    async
  {
    let work = Work()
    let model = TaskModel<[Int]>()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let began = Log()
    // By a clock that nobody moves, so that no machine is too slow for the step.
    let plan = RecoveryPlan([
      .init("mend", when: { $0.httpStatus == 503 }, clock: ManualClock()) { _ in
        began.add("began")
        for await _ in gate { break }
      }
    ])
    let run = Task {
      await model.run("Load numbers", recovery: plan) { try await work.run() }
    }
    await work.begun(1)
    #expect(!model.isRecovering)
    work.end(1, .failure(TaskModelTests.failure))
    await began.lines(atLeast: 1)
    #expect(model.isRecovering && model.isLoading && model.error == nil)
    open.yield()
    await work.begun(2)
    #expect(!model.isRecovering && model.isLoading)
    work.end(2, .success([1]))
    await run.value
    #expect(model.state == .loaded([1]) && work.count == 2)
  }

  @Test(.requirement("A9", "A49"), arguments: [true, false])
  func `the team hears what became of a plan`(mends: Bool) async {
    let (monitor, log) = (ErrorMonitor(), Log())
    let model = TaskModel<Int>(monitor: monitor)
    let plan = RecoveryPlan([
      .init("sign in", when: { $0.httpStatus == 401 }, clock: ManualClock()) { _ in
        if !mends { throw AppError.timeout() }
      }
    ])
    let failure = AppError.http(status: 401)
    await model.run("Load", recovery: plan) {
      log.add("run")
      if log.lines.count == 1 { throw failure }
      return 1
    }
    #expect(log.lines.count == (mends ? 2 : 1))
    #expect(monitor.recoveryRate(of: failure.code) == (mends ? 1 : 0))
    let codes = Set(monitor.history.map(\.code))
    #expect(codes.contains(AppError.timeout().code) == !mends)
  }

  @Test(arguments: [true, false])
  func `who cancels during a step leaves no error behind`(mends: Bool) async {
    let model = TaskModel<Int>()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let began = Log()
    let plan = RecoveryPlan([
      .init("sign in", when: { _ in true }, clock: ManualClock()) { _ in
        began.add("began")
        for await _ in gate { break }
        if !mends { try Task.checkCancellation() }
      }
    ])
    let run = Task {
      await model.run("Load", recovery: plan) { throw AppError.http(status: 401) }
    }
    await began.lines(atLeast: 1)
    run.cancel()
    open.yield()
    await run.value
    #expect(model.state == .idle && !model.isRecovering)
  }

  @Test func `a step that the person gave up has mended nothing`() async {
    let model = TaskModel<Int>()
    let plan = RecoveryPlan([
      .init("sign in", when: { _ in true }, clock: ManualClock()) { _ in throw CancellationError() }
    ])
    await model.run("Load", recovery: plan) { throw AppError.http(status: 401) }
    #expect(model.error?.httpStatus == 401)
  }

  @Test(.requirement("A14", "A19")) func `what it cannot mend waits for a person`() async {
    let work = Work()
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    let model = TaskModel<[Int]>(date: { now })
    let plan = RecoveryPlan([.init("mend", when: { _ in true }) { error in throw error }])
    let run = Task {
      await model.run("Load numbers", recovery: plan) { try await work.run() }
    }
    await work.begun(1)
    work.end(1, .failure(TaskModelTests.failure))
    await run.value
    #expect(work.count == 1 && !model.isRecovering)
    let state = model.errorState
    #expect(state?.error == model.error && state?.time == now && state?.isManual == true)
    let again = Task { await state?.retry?() }
    await work.begun(2)
    #expect(model.errorState == nil)
    work.end(2, .success([2]))
    await again.value
    #expect(model.state == .loaded([2]))
  }

  @Test func `a refused change is shown, and takes nothing away`() async throws {
    let cart = StateClient(
      "cart", [String](), invariants: [.init("few lines") { $0.count < 3 }])
    try await cart.update { $0 = ["a", "b"] }
    let model = TaskModel<Void>()
    await model.run("Add", recovery: RecoveryPlan([.restoringKnownGood(cart)])) {
      try await cart.update { $0.append("c") }
    }
    #expect(model.error?.code == AppError.Client.changeRefused("").appError.code)
    #expect(await cart.state == ["a", "b"])
  }

  @Test(arguments: [nil, IdempotencyKey()])
  func `what may have had its effect runs again by itself only under a key`(
    key: IdempotencyKey?
  ) async {
    let log = Log()
    let plan = RecoveryPlan([.init("mend", for: .network) { _ in log.add("mended") }])
    let lost = AppError(
      code: "lost", kind: .network, disposition: .unknownOutcome, title: "Not sure",
      message: "The connection broke.")
    func pay() async {
      let model = TaskModel<Int>()
      await model.run("Pay", recovery: plan) {
        log.add("paid")
        throw lost
      }
      #expect(model.state == .failed(lost, previous: nil))
    }
    if let key { await key.active { await pay() } } else { await pay() }
    #expect(log.lines == (key == nil ? ["paid"] : ["paid", "mended", "paid"]))
  }

  @Test(.requirement("A19")) func `the offline state is ready, and is nobody's task`() {
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    let state = ErrorState.offline(at: now)
    #expect(state.error.kind == .offline && !state.isManual && state.retry == nil)
    #expect(state == ErrorState.offline(at: now))
    #expect(state != ErrorState.offline(at: now, retry: {}))
  }

  @Test(.requirement("T19")) func `a superseded run is not mended`() async {
    let work = Work()
    let model = TaskModel<[Int]>()
    let plan = RecoveryPlan([
      .init("never", when: { _ in true }) { _ in #expect(Bool(false), "it ran") }
    ])
    let first = Task { await model.run("Load", recovery: plan) { try await work.run() } }
    await work.begun(1)
    let second = Task { await model.run("Load") { try await work.run() } }
    await work.begun(2)
    work.end(1, .failure(TaskModelTests.failure))
    await first.value
    #expect(model.isLoading && !model.isRecovering)
    work.end(2, .success([2]))
    await second.value
    #expect(model.state == .loaded([2]) && work.count == 2)
  }

  @Test func `a second tap can do nothing`() async {
    let work = Work()
    let model = TaskModel<[Int]>(overlap: .ignore)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    await model.run("Load") { try await work.run() }
    #expect(work.count == 1)
    work.end(1, .success([1]))
    await first.value
    let second = Task { await model.run("Load") { try await work.run() } }
    await work.begun(2)
    work.end(2, .success([2]))
    await second.value
    #expect(model.state == .loaded([2]))
  }

  @Test func `of those that wait the last one runs, and the others return`() async {
    let work = Work()
    let model = TaskModel<[Int]>(overlap: .keepLatest)
    let log = Log()
    let first = Task { await model.run("Search a") { try await work.run() } }
    await work.begun(1)
    let second = await started {
      await model.run("Search ab") {
        log.add("ab")
        return [0]
      }
    }
    let third = await started {
      await model.run("Search abc") {
        log.add("abc")
        return try await work.run()
      }
    }
    _ = await second.result
    #expect(log.lines.isEmpty && model.isLoading)
    work.end(1, .success([1]))
    await work.begun(2)
    #expect(model.state == .loading(previous: [1]) || model.isLoading)
    work.end(2, .success([3]))
    await first.value
    _ = await third.result
    #expect(model.state == .loaded([3]) && log.lines == ["abc"])
  }

  @Test func `nobody who comes later is faster than who waits`() async {
    let work = Work()
    let model = TaskModel<[Int]>(overlap: .keepLatest)
    let first = Task { await model.run("a") { try await work.run() } }
    await work.begun(1)
    let second = await started { await model.run("ab") { try await work.run() } }
    // The place is handed over at once, before whoever waits for it runs.
    work.end(1, .success([1]))
    await first.value
    let third = await started { await model.run("abc") { try await work.run() } }
    await work.begun(2)
    work.end(2, .success([2]))
    _ = await second.result
    await work.begun(3)
    work.end(3, .success([3]))
    _ = await third.result
    #expect(model.state == .loaded([3]) && work.count == 3)
  }

  /// A model with a run under way and one that waits for its turn, and when they have ended.
  private func waiting(_ work: Work, _ log: Log) async -> (TaskModel<[Int]>, [Task<Void, Never>]) {
    let model = TaskModel<[Int]>(overlap: .keepLatest)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    let (left, leave) = AsyncStream.makeStream(of: Void.self)
    let others = (1...2).map { _ in
      Task {
        await model.run("Load") {
          log.add("began")
          return [2]
        }
        leave.yield()
      }
    }
    // The second one sent the first away, so it waits itself.
    for await _ in left { break }
    return (model, [first] + others)
  }

  @Test func `clearing sends away whoever waits`() async {
    let (work, log) = (Work(), Log())
    let (model, runs) = await waiting(work, log)
    model.clear()
    work.end(1, .success([1]))
    for run in runs { await run.value }
    #expect(model.state == .idle && log.lines.isEmpty)
    await model.run("Load") { [3] }
    #expect(model.state == .loaded([3]), "the place is free again")
  }

  @Test(arguments: [TaskModel<[Int]>.Overlap.ignore, .keepLatest])
  func `after clearing nobody waits for the run before`(overlap: TaskModel<[Int]>.Overlap) async {
    let work = Work()
    let model = TaskModel<[Int]>(overlap: overlap)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    model.clear()
    let second = await started { await model.run("Load") { try await work.run() } }
    // The end of the superseded run gives no place back that another one has.
    work.end(1, .success([1]))
    await first.value
    #expect(work.count == 2 && model.isLoading)
    if overlap == .ignore { await model.run("Load") { [3] } }
    guard work.count == 2 else { return }
    work.end(2, .success([2]))
    _ = await second.result
    #expect(model.state == .loaded([2]))
    await model.run("Load") { [4] }
    #expect(model.state == .loaded([4]), "the place is free again")
  }

  @Test func `clearing also stops who was given its turn and has not begun`() async {
    let (work, log) = (Work(), Log())
    let (model, runs) = await waiting(work, log)
    // What the screen does about the end of the first comes before the second goes on.
    withObservationTracking {
      _ = model.state
    } onChange: {
      Task { @MainActor in model.clear() }
    }
    work.end(1, .success([1]))
    for run in runs { await run.value }
    #expect(model.state == .idle && log.lines.isEmpty)
    await model.run("Load") { [3] }
    #expect(model.state == .loaded([3]), "the place is free again")
  }
}
