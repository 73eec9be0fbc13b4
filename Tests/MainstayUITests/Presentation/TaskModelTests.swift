// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

@MainActor @Suite struct TaskModelTests {
  /// Work that ends when the test says so, and how.
  @MainActor final class Work {
    private var calls: [CheckedContinuation<[Int], any Error>] = []
    private(set) var count = 0
    private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []

    func run() async throws -> [Int] {
      try await withCheckedThrowingContinuation { continuation in
        calls.append(continuation)
        count += 1
        for watcher in watchers where watcher.0 <= count { watcher.1.resume() }
        watchers.removeAll { $0.0 <= count }
      }
    }

    func begun(_ number: Int) async {
      guard count < number else { return }
      await withCheckedContinuation { watchers.append((number, $0)) }
    }

    func end(_ number: Int, _ result: Result<[Int], any Error>) {
      calls[number - 1].resume(with: result)
    }
  }

  static let failure = AppError.http(status: 503, isRepeatable: true)

  /// A model whose first run has ended as given.
  private func model(_ result: Result<[Int], any Error>, _ work: Work) async -> TaskModel<[Int]> {
    let model = TaskModel<[Int]>()
    let run = Task { await model.run("Load numbers") { try await work.run() } }
    await work.begun(1)
    work.end(1, result)
    await run.value
    return model
  }

  @Test(.requirement("D25", "E5", "A56")) func `goes from idle through loading to loaded`() async {
    let work = Work()
    let model = TaskModel<[Int]>()
    #expect(model.state == .idle && model.value == nil && !model.isLoading)
    let run = Task { await model.run("Load numbers") { try await work.run() } }
    await work.begun(1)
    #expect(model.state == .loading(previous: nil) && model.isLoading)
    work.end(1, .success([1]))
    await run.value
    #expect(model.state == .loaded([1]) && model.value == [1])
  }

  @Test(.requirement("E19", "E24", "A31")) func `the buttons are those that do something`()
    async
  {
    let work = Work()
    let signIn = await model(.failure(AppError.http(status: 401)), work)
    #expect(signIn.actions().map(\.id) == ["retry", "dismiss"])
    #expect(signIn.actions(performing: true).contains { $0.id == "sign-in" })
    #expect(signIn.actions(performs: [.signIn]).map(\.id) == ["sign-in", "retry", "dismiss"])
    #expect(signIn.actions(performs: [.openPortal]).map(\.id) == ["retry", "dismiss"])
    #expect(signIn.pageActions(performs: [.signIn]).map(\.id) == ["sign-in", "retry"])
    #expect(!signIn.begin(.signIn), "it is for the app")
    #expect(signIn.presentation()?.code == "http.401")
    #expect(signIn.begin(.dismiss) && signIn.error == nil && signIn.actions().isEmpty)
    let gone = await model(.failure(AppError.http(status: 404)), Work())
    #expect(gone.actions().map(\.id) == ["dismiss"])
    let helped = await model(
      .failure(
        AppError(
          code: "gone", kind: .unavailable, disposition: .permanent, title: "Gone",
          message: "It is gone.", help: URL(string: "https://example.org/gone"))), Work())
    #expect(helped.actions().map(\.id) == ["dismiss", "help"])
    #expect(helped.actions(performs: [.signIn]).contains { $0.id == "help" })
    #expect(helped.pageActions().contains { $0.id == "help" })
    let again = Work()
    let busy = await model(.failure(Self.failure), again)
    #expect(busy.begin(.retry))
    await again.begun(2)
    #expect(busy.isLoading && busy.presentation() == nil)
    again.end(2, .success([1]))
  }

  @Test func `in the place of the content there is no Dismiss, and always a way on`() async {
    let work = Work()
    let gone = await model(.failure(AppError.http(status: 404)), work)
    #expect(gone.actions().map(\.id) == ["dismiss"])
    #expect(gone.pageActions().map(\.id) == ["retry"])
    #expect(gone.begin(.retry))
    await work.begun(2)
    work.end(2, .success([1]))
    let signIn = await model(.failure(AppError.http(status: 401)), Work())
    #expect(signIn.pageActions().map(\.id) == ["retry"])
    #expect(signIn.pageActions(performing: true).map(\.id) == ["sign-in", "retry"])
    // Nothing suggests to do again what may have been done.
    let unsure = await model(
      .failure(AppError.timeout().with(disposition: .unknownOutcome)), Work())
    #expect(unsure.pageActions().isEmpty)
    #expect(unsure.pageActions(performing: true).map(\.id) == ["check-outcome"])
    signIn.dismissError()
    #expect(signIn.pageActions().isEmpty, "there is no error")
  }

  @Test(arguments: [[1], []])
  func `what an error can be put away from has Dismiss`(before: [Int]) async {
    let work = Work()
    let model = await model(.success(before), work)
    let refresh = Task { await model.refresh() }
    await work.begun(2)
    work.end(2, .failure(AppError.http(status: 404)))
    await refresh.value
    #expect(model.pageActions().map(\.id) == ["dismiss"])
  }

  @Test(.requirement("D25", "E12")) func `an empty screen stays one while it loads anew`() async {
    let work = Work()
    let model = await model(.success([]), work)
    #expect(model.isEmpty)
    async let refreshing: Void = model.refresh()
    await work.begun(2)
    #expect(model.isLoading && model.isEmpty)
    work.end(2, .failure(CancellationError()))
    await refreshing
    #expect(model.state == .empty && model.isEmpty)
    async let failing: Void = model.refresh()
    await work.begun(3)
    work.end(3, .failure(Self.failure))
    await failing
    #expect(model.error != nil && model.isEmpty)
    model.dismissError()
    #expect(model.state == .empty)
    async let filling: Void = model.refresh()
    await work.begun(4)
    work.end(4, .success([1]))
    await filling
    #expect(model.state == .loaded([1]) && !model.isEmpty)
    model.clear()
    #expect(!model.isEmpty)
  }

  @Test(.requirement("D25")) func `shows an empty collection as empty`() async {
    #expect(await model(.success([]), Work()).state == .empty)
  }

  @Test(.requirement("B12", "B30", "E2", "E5", "E15", "E17"))
  func `shows a failure with its context`() async {
    let model = await model(.failure(Self.failure), Work())
    #expect(model.error == Self.failure && model.canRetry && !model.isLoading)
    #expect(model.error?.context.map(\.operation) == ["Load numbers"])
  }

  @Test(.requirement("B12", "E15", "B6", "B27"))
  func `gives a generic text to an error that nobody knows`() async {
    struct Internal: Error {}
    let model = await model(.failure(Internal()), Work())
    #expect(model.error?.kind == .unknown)
    #expect(model.error?.title.description == "Something unexpected happened")
    #expect(model.error?.cause(as: Internal.self) != nil)
  }

  @Test(.requirement("B12"))
  func `tells the team of failures, and of errors that nobody converts`() async {
    struct Internal: Error {}
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let model = TaskModel<[Int]>(monitor: monitor)
    await model.run("Load numbers") { throw Self.failure }
    await model.run("Load more") { throw Internal() }
    await model.run("Load none") { throw CancellationError() }
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.operation) == ["Load numbers", "Load more"])
    #expect(sink.reports.first?.details == "HTTP status 503")
    #expect(sink.reports.last?.details?.contains("AppErrorConvertible") == true)
    #expect(sink.reports.allSatisfy { $0.site.fileID.hasSuffix("/TaskModelTests.swift") })
  }

  @Test(.requirement("A15", "E9", "E18", "E31", "T10", "A58"))
  func `a retry clears the error first and runs the captured work once`() async {
    let work = Work()
    let model = await model(.failure(Self.failure), work)
    let first = Task { await model.retry() }
    await work.begun(2)
    #expect(model.state == .loading(previous: nil), "the error is cleared")
    await model.retry()  // a second tap
    #expect(work.count == 2)
    work.end(2, .success([2]))
    await first.value
    #expect(model.state == .loaded([2]))
    await model.retry()
    #expect(work.count == 2, "nothing to retry any more")
  }

  @Test(.requirement("A15")) func `a retry that fails replaces the error`() async {
    let work = Work()
    let model = await model(.failure(Self.failure), work)
    let retry = Task { await model.retry() }
    await work.begun(2)
    work.end(2, .failure(AppError.http(status: 404)))
    await retry.value
    #expect(model.error?.httpStatus == 404 && !model.canRetry)
  }

  @Test(.requirement("T19")) func `the late answer of a superseded run never shows`() async {
    let endings: [Result<[Int], any Error>] = [
      .success([1]), .failure(Self.failure), .failure(CancellationError()),
    ]
    for late in endings {
      let work = Work()
      let model = TaskModel<[Int]>()
      let old = Task { await model.run("Old") { try await work.run() } }
      await work.begun(1)
      let new = Task { await model.run("New") { try await work.run() } }
      await work.begun(2)
      work.end(2, .success([2]))
      await new.value
      work.end(1, late)
      await old.value
      #expect(model.state == .loaded([2]))
    }
  }

  @Test(.requirement("T19")) func `loading ends only with the newest run`() async {
    let work = Work()
    let model = TaskModel<[Int]>()
    let old = Task { await model.run("Old") { try await work.run() } }
    await work.begun(1)
    let new = Task { await model.run("New") { try await work.run() } }
    await work.begun(2)
    work.end(1, .success([1]))
    await old.value
    #expect(model.isLoading)
    work.end(2, .success([2]))
    await new.value
  }

  @Test(
    .requirement("E8", "E12", "E35", "T4", "T18"),
    arguments: [CancellationError() as any Error, AppError.cancelled()])
  func `a cancellation leaves no error behind`(error: any Error) async {
    #expect(await model(.failure(error), Work()).state == .idle)
    let work = Work()
    let loaded = await model(.success([1]), work)
    let refresh = Task { await loaded.refresh() }
    await work.begun(2)
    work.end(2, .failure(error))
    await refresh.value
    #expect(loaded.state == .loaded([1]))
  }

  @Test(.requirement("T18")) func `a real failure in a cancelled task is shown`() async {
    let work = Work()
    let model = TaskModel<[Int]>()
    let run = Task { await model.run("Load numbers") { try await work.run() } }
    await work.begun(1)
    run.cancel()
    work.end(1, .failure(Self.failure))
    await run.value
    #expect(model.error == Self.failure)
  }

  @Test(.requirement("D27", "C11")) func `a refresh keeps the value and waits for its turn`() async
  {
    let work = Work()
    let model = await model(.success([1]), work)
    let refresh = Task { await model.refresh() }
    await work.begun(2)
    #expect(model.state == .loading(previous: [1]) && model.value == [1])
    await model.refresh()
    #expect(work.count == 2, "refreshing is disabled while loading")
    work.end(2, .failure(Self.failure))
    await refresh.value
    #expect(model.state == .failed(Self.failure, previous: [1]) && model.value == [1])
  }

  @Test(.requirement("A16", "E6")) func `an error can be put away`() async {
    let work = Work()
    let model = await model(.failure(Self.failure), work)
    model.dismissError()
    #expect(model.state == .idle)
    model.dismissError()
    #expect(model.state == .idle)
  }

  @Test func `clearing supersedes a run and forgets the work`() async {
    let work = Work()
    let model = TaskModel<[Int]>()
    let run = Task { await model.run("Load numbers") { try await work.run() } }
    await work.begun(1)
    model.clear()
    work.end(1, .success([1]))
    await run.value
    #expect(model.state == .idle)
    await model.refresh()
    #expect(work.count == 1)
  }

  @Test(.requirement("A13")) func `tells observers`() async {
    let model = TaskModel<[Int]>()
    let changed = Flag()
    withObservationTracking {
      _ = model.isLoading
    } onChange: {
      changed.raise()
    }
    await model.run("Load numbers") { [1] }
    #expect(changed.isRaised)
  }
}
