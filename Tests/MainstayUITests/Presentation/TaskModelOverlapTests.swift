// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

/// Runs that begin while another one is under way, and are cancelled.
@MainActor @Suite(.ends(withinMinutes: 2)) struct TaskModelOverlapTests {
  typealias Work = TaskModelTests.Work

  /// A model and the tasks of so many runs, each of which has superseded the one before.
  private func runs(_ count: Int, _ work: Work) async -> (TaskModel<[Int]>, [Task<Void, Never>]) {
    let model = TaskModel<[Int]>()
    var runs: [Task<Void, Never>] = []
    for number in 1...count {
      runs.append(Task { await model.run("Run \(number)") { try await work.run() } })
      await work.begun(number)
    }
    return (model, runs)
  }

  @Test func `a newer run that is cancelled leaves the screen to the older one`() async {
    let work = Work()
    let (model, runs) = await runs(2, work)
    work.end(2, .failure(CancellationError()))
    await runs[1].value
    #expect(model.state == .loading(previous: nil))
    work.end(1, .success([1]))
    await runs[0].value
    #expect(model.state == .loaded([1]))
  }

  @Test func `the failure of the older one shows too, and its own work is tried again`() async {
    let (work, other) = (Work(), Work())
    let model = TaskModel<[Int]>()
    let old = Task { await model.run("Old") { try await work.run() } }
    await work.begun(1)
    let new = Task { await model.run("New") { try await other.run() } }
    await other.begun(1)
    other.end(1, .failure(CancellationError()))
    await new.value
    work.end(1, .failure(TaskModelTests.failure))
    await old.value
    #expect(model.error?.context.map(\.operation) == ["Old"])
    let retry = Task { await model.retry() }
    await work.begun(2)
    work.end(2, .success([2]))
    await retry.value
    #expect(model.state == .loaded([2]) && other.count == 1)
  }

  @Test func `so does the end of the older one that came before the cancellation`() async {
    let endings: [(Result<[Int], any Error>, TaskState<[Int]>)] = [
      (.success([1]), .loaded([1])), (.success([]), .empty),
      (.failure(TaskModelTests.failure), .failed(TaskModelTests.failure, previous: nil)),
    ]
    for (ending, state) in endings {
      let work = Work()
      let (model, runs) = await runs(2, work)
      work.end(1, ending)
      await runs[0].value
      #expect(model.state == .loading(previous: nil), "the newer one may answer yet")
      work.end(2, .failure(CancellationError()))
      await runs[1].value
      #expect(model.state == state)
    }
  }

  @Test func `of the older ones the newest shows that was not cancelled`() async {
    let work = Work()
    let (model, runs) = await runs(4, work)
    work.end(2, .success([2]))
    await runs[1].value
    work.end(3, .failure(CancellationError()))
    await runs[2].value
    #expect(model.isLoading)
    work.end(4, .failure(CancellationError()))
    await runs[3].value
    #expect(model.state == .loaded([2]))
    work.end(1, .success([1]))
    await runs[0].value
    #expect(model.state == .loaded([2]), "it was superseded by one that has answered")
  }

  @Test func `the value before stays where all were cancelled`() async {
    let work = Work()
    let model = TaskModel<[Int]>()
    await model.run("First") { [0] }
    let both = [1, 2].map { number in
      Task { await model.run("Run \(number)") { try await work.run() } }
    }
    await work.begun(2)
    work.end(2, .failure(CancellationError()))
    await both[1].value
    work.end(1, .failure(CancellationError()))
    await both[0].value
    #expect(model.state == .loaded([0]))
    await model.refresh()
    #expect(work.count == 2 && model.state == .loaded([0]), "the work that has loaded it")
  }

  @Test func `the step of a plan is seen again when its run is the newest again`() async {
    let (work, began) = (Work(), Log())
    let model = TaskModel<[Int]>()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let plan = RecoveryPlan([
      .init("mend", when: { _ in true }, clock: ManualClock()) { _ in
        began.add("began")
        for await _ in gate { break }
      }
    ])
    let old = Task { await model.run("Old", recovery: plan) { try await work.run() } }
    await work.begun(1)
    work.end(1, .failure(TaskModelTests.failure))
    await began.lines(atLeast: 1)
    let new = Task { await model.run("New") { try await work.run() } }
    await work.begun(2)
    #expect(!model.isRecovering)
    work.end(2, .failure(CancellationError()))
    await new.value
    #expect(model.isRecovering && model.isLoading)
    open.yield()
    await work.begun(3)
    #expect(!model.isRecovering)
    work.end(3, .success([3]))
    await old.value
    #expect(model.state == .loaded([3]))
  }

  @Test(arguments: [TaskModel<[Int]>.Overlap.supersede, .ignore, .keepLatest])
  func `a task that is cancelled already runs nothing`(overlap: TaskModel<[Int]>.Overlap) async {
    let (work, log) = (Work(), Log())
    let model = TaskModel<[Int]>(overlap: overlap)
    func cancelled() async {
      let run = Task {
        await model.run("Never") {
          log.add("ran")
          return [2]
        }
      }
      run.cancel()
      await run.value
    }
    await cancelled()
    #expect(model.state == .idle)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    await cancelled()
    #expect(model.isLoading && log.lines.isEmpty)
    work.end(1, .success([1]))
    await first.value
    #expect(model.state == .loaded([1]))
  }

  @Test func `who is cancelled while it waits for its turn leaves, and changes nothing`() async {
    let (work, log) = (Work(), Log())
    let model = TaskModel<[Int]>(overlap: .keepLatest)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    let second = await started {
      await model.run("Load more") {
        log.add("ran")
        return [2]
      }
    }
    second.cancel()
    _ = await second.result
    #expect(model.isLoading && work.count == 1)
    work.end(1, .failure(TaskModelTests.failure))
    await first.value
    #expect(model.error == TaskModelTests.failure && log.lines.isEmpty)
    await model.run("Load") { [3] }
    #expect(model.state == .loaded([3]), "the place is free again")
  }

  @Test func `who is cancelled when its turn has come does not begin either`() async {
    let (work, log) = (Work(), Log())
    let model = TaskModel<[Int]>(overlap: .keepLatest)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    let (left, leave) = AsyncStream.makeStream(of: Void.self)
    let others = (1...2).map { _ in
      Task {
        await model.run("Load more") {
          log.add("ran")
          return [2]
        }
        leave.yield()
      }
    }
    // The second one sent the first away, so it waits itself.
    for await _ in left { break }
    // What the screen does about the end of the first comes before the second goes on.
    withObservationTracking {
      _ = model.state
    } onChange: {
      Task { @MainActor in for other in others { other.cancel() } }
    }
    work.end(1, .success([1]))
    for run in [first] + others { await run.value }
    #expect(model.state == .loaded([1]) && log.lines.isEmpty)
    await model.run("Load") { [3] }
    #expect(model.state == .loaded([3]), "the place is free again")
  }
}
