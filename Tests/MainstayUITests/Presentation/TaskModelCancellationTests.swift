// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

/// What is left on screen of runs that were cancelled.
@MainActor @Suite(.ends(withinMinutes: 2)) struct TaskModelCancellationTests {
  typealias Work = TaskModelTests.Work

  /// A model whose first run has failed.
  private func failed(_ work: Work, date: Date = Date(timeIntervalSince1970: 7)) async
    -> TaskModel<[Int]>
  {
    let model = TaskModel<[Int]>(date: { date })
    let run = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    work.end(1, .failure(TaskModelTests.failure))
    await run.value
    return model
  }

  @Test func `a cancelled run that has yet to end keeps no newer one out`() async {
    let work = Work()
    let model = TaskModel<[Int]>(overlap: .ignore)
    let first = Task { await model.run("Load") { try await work.run() } }
    await work.begun(1)
    await model.run("Load") { [9] }  // a second tap
    #expect(model.isLoading)
    first.cancel()
    let second = Task { await model.run("Load more") { try await work.run() } }
    await work.begun(2)
    await model.run("Load") { [9] }  // and one while the newer is under way
    #expect(model.isLoading)
    work.end(1, .failure(CancellationError()))
    await first.value
    #expect(model.isLoading)
    work.end(2, .success([2]))
    await second.value
    #expect(model.state == .loaded([2]))
    await model.run("Load") { [3] }
    #expect(model.state == .loaded([3]), "the place is free again")
  }

  @Test func `a retry that is cancelled brings back the error with its button`() async {
    let work = Work()
    let model = await failed(work)
    for number in 2...3 {
      let retry = Task { await model.retry() }
      await work.begun(number)
      #expect(model.state == .loading(previous: nil))
      work.end(number, .failure(CancellationError()))
      await retry.value
      #expect(model.error == TaskModelTests.failure && model.canRetry)
      #expect(model.errorState?.time == Date(timeIntervalSince1970: 7))
    }
    let retry = Task { await model.retry() }
    await work.begun(4)
    work.end(4, .success([4]))
    await retry.value
    #expect(model.state == .loaded([4]))
    let refresh = Task { await model.refresh() }
    await work.begun(5)
    work.end(5, .failure(CancellationError()))
    await refresh.value
    #expect(model.state == .loaded([4]), "of an error before the value nothing is left")
  }

  @Test func `an error that was put away does not come back`() async {
    let work = Work()
    let model = await failed(work)
    model.dismissError()
    let refresh = Task { await model.refresh() }
    await work.begun(2)
    work.end(2, .failure(CancellationError()))
    await refresh.value
    #expect(model.state == .idle)
    let cleared = await failed(Work())
    let run = Task { await cleared.run("Load") { try await work.run() } }
    await work.begun(3)
    cleared.clear()
    work.end(3, .failure(CancellationError()))
    await run.value
    #expect(cleared.state == .idle)
  }
}
