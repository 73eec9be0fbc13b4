// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct MonitorRecoveryTests {
  @Test(.requirement("A35", "A37", "A49"))
  func `a recovery is counted, stands on the report and reaches the sinks`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let error = storeError()
    monitor.capture(error)
    monitor.recordPresentation(.init(style: "alert", titleKey: "error.store.title"), of: error)
    #expect(monitor.history.first?.presentation?.style == "alert")
    monitor.recordRecovery(from: error, succeeded: false, during: "Save", action: "retry")
    monitor.recordRecovery(from: error, succeeded: true, during: "Save", action: "retry")
    #expect(await monitor.flush(within: .patience))
    let report = monitor.history.first
    #expect(report?.recovery?.succeeded == true && report?.recovery?.operation == "Save")
    #expect(report?.presentation?.action == "retry", "what the person tapped")
    #expect(sink.recoveries.map(\.succeeded) == [false, true])
    #expect(sink.recoveries.allSatisfy { $0.id == error.id && $0.code == error.code })
    #expect(monitor.groups.first?.recoveryAttempts == 2)
    #expect(monitor.groups.first?.code == error.code, "a reader knows it by more than a number")
    #expect(monitor.groups.first?.title == report?.title && report?.title.isEmpty == false)
    #expect(monitor.groups.first?.recoveryRate == 0.5)
    #expect(monitor.recoveryRate(of: error.code) == 0.5)
    #expect(monitor.recoveryRate(of: "other") == nil)
  }

  @Test(.requirement("A35")) func `recoveries for which a sink has no room are counted`() async {
    let clock = ManualClock()
    let sink = MemorySink(answers: [.accepted, .later(after: .seconds(9))], isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink], clock: clock)
    monitor.capture(storeError())
    await sink.batches(atLeast: 1)
    for _ in 0..<100 { monitor.recordRecovery(from: storeError(), succeeded: true) }
    sink.release()
    await clock.sleepers(atLeast: 1)
    // Nothing of them was taken: they are told again, as far as there is room.
    for _ in 0..<10 { monitor.recordRecovery(from: storeError(), succeeded: false) }
    clock.advance(by: .seconds(9))
    await sink.batches(atLeast: 3)
    #expect(await monitor.flush(within: .patience))
    let told = sink.batches.dropFirst()
    #expect(told.map(\.recoveries.count) == [64, 64] && told.map(\.lostRecoveries) == [36, 46])
    #expect(told.last?.recoveries.suffix(10).allSatisfy { !$0.succeeded } == true)
    monitor.recordRecovery(from: storeError(), succeeded: true)
    #expect(await monitor.flush(within: .patience))
    #expect(sink.batches.last?.recoveries.count == 1 && sink.batches.last?.lostRecoveries == 0)
  }

  @Test(.requirement("A37", "A49"))
  func `what a person saw and tapped stands on the report that still waits for a sink`() async {
    let sink = MemorySink(isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink])
    monitor.capture(storeError(1))
    await sink.batches(atLeast: 1)
    let error = storeError(2)
    monitor.capture(error)
    monitor.recordPresentation(.init(style: "alert", titleKey: "error.store.title"), of: error)
    monitor.recordRecovery(from: error, succeeded: true, action: "retry")
    sink.release()
    #expect(await monitor.flush(within: .patience))
    let report = sink.reports.last
    #expect(report?.id == error.id && report?.presentation?.style == "alert")
    #expect(report?.presentation?.action == "retry" && report?.recovery?.succeeded == true)
    #expect(sink.updates.isEmpty, "it needs no update")
    let latest = monitor.group(Fingerprint(of: error))?.latest
    #expect(latest?.presentation == report?.presentation && latest?.recovery == report?.recovery)
  }

  @Test(.requirement("A37", "A49"))
  func `what a person saw and tapped of a report that was handed over follows it`() async {
    let clock = ManualClock()
    let sink = MemorySink(answers: [.accepted, .later()])
    let unaware = MemorySink("unaware", purpose: .analytics)
    let monitor = ErrorMonitor(sinks: [sink, unaware], clock: clock)
    let error = storeError()
    monitor.capture(error)
    await sink.batches(atLeast: 1)
    monitor.recordPresentation(.init(style: "alert"), of: error)
    await sink.batches(atLeast: 2)
    await clock.sleepers(atLeast: 1)
    // The sink has put that off: it is told once, and the newest.
    monitor.recordRecovery(from: error, succeeded: true, action: "retry")
    clock.advance(by: .seconds(1))
    await sink.batches(atLeast: 3)
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.presentation) == [nil])
    let updates = sink.batches.map { $0.updates.map(\.presentation?.action) }
    #expect(updates == [[], [nil], ["retry"]])
    #expect(sink.updates.allSatisfy { $0.id == error.id && $0.presentation?.style == "alert" })
    #expect(sink.updates.last?.recovery?.succeeded == true && sink.recoveries.count == 1)
    #expect(unaware.batches.isEmpty, "it never had the report")
  }

  @Test(.requirement("A49")) func `the rate of a code is its own, whatever groups it lies in`() {
    func error(_ code: ErrorCode) -> AppError {
      AppError(
        code: code, kind: .timeout, disposition: .transient(), title: "Late", message: "Too late.")
    }
    let monitor = ErrorMonitor()
    for (code, group, succeeded) in [
      ("a.x", "one", true), ("a.y", "one", false), ("a.y", "two", true), ("a.y", "two", false),
    ] as [(ErrorCode, String, Bool)] {
      let error = error(code)
      monitor.capture(error, group: group)
      monitor.recordRecovery(from: error, succeeded: succeeded, group: group)
    }
    #expect(monitor.groups.count == 2)
    #expect(monitor.recoveryRate(of: "a.x") == 1)
    #expect(monitor.recoveryRate(of: "a.y") == 1.0 / 3)
  }

  @Test(.requirement("A37")) func `a foreign error is known by its group`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    monitor.capture(ShopError.sold(to: "Ada"))
    monitor.recordRecovery(from: ShopError.sold(to: "Bob"), succeeded: true)
    await monitor.flush(within: .patience)
    #expect(monitor.history.first?.recovery?.succeeded == true)
    #expect(sink.recoveries.first?.id == monitor.history.first?.id)
  }

  @Test(.requirement("A37")) func `an error that is an object is known by itself`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let errors = (0..<2).map { _ in NSError(domain: "Shop", code: 3) }
    let ids = errors.map { monitor.capture($0) }
    monitor.recordPresentation(.init(style: "alert"), of: errors[0])
    monitor.recordRecovery(from: errors[0], succeeded: true)
    await monitor.flush(within: .patience)
    #expect(monitor.history.map(\.id) == ids.reversed())
    #expect(monitor.history.map(\.recovery?.succeeded) == [nil, true])
    #expect(monitor.history.map(\.presentation?.style) == [nil, "alert"])
    #expect(sink.recoveries.map(\.id) == [ids[0]])
  }

  @Test(.requirement("A38")) func `an object that was captured inside counts once`() async throws {
    let monitor = ErrorMonitor()
    let error = NSError(domain: "Shop", code: 3)
    _ = try await monitor.attempt("Save") { () throws -> Int in
      monitor.capture(error)
      throw error
    } recover: { _ in
      true
    }
    #expect(monitor.history.count == 1 && monitor.ledger.dropped == [.duplicate: 1])
    #expect(monitor.history.first?.recovery?.succeeded == true)
  }

  @Test func `recoveries wait for a sink too, only the newest 64`() async {
    let sink = MemorySink(isStalled: true)
    let monitor = ErrorMonitor(sinks: [sink])
    monitor.capture(storeError())
    await sink.batches(atLeast: 1)
    for number in 0..<100 {
      monitor.recordRecovery(from: storeError(), succeeded: number >= 36)
    }
    sink.release()
    await monitor.flush(within: .patience)
    #expect(sink.recoveries.count == 64 && sink.recoveries.allSatisfy(\.succeeded))
  }

  @Test(.requirement("A38")) func `what goes well is handed back, without a word`() async throws {
    let monitor = ErrorMonitor()
    let value = try await monitor.attempt("Load") { () throws -> Int in
      42
    } recover: { _ in
      true
    }
    #expect(value == 42 && monitor.ledger.captured == 0)
  }

  @Test(.requirement("A38")) func `what was recovered from is logged twice and not thrown`() async {
    let monitor = ErrorMonitor()
    let calls = Log()
    let value: Int? = try? await monitor.attempt("Save", category: "storage") {
      calls.add("save")
      throw ShopError.closed
    } recover: { error in
      calls.add("recover from \(error)")
      return true
    }
    #expect(value == nil && calls.lines == ["save", "recover from closed"])
    let report = monitor.history.first
    #expect(report?.operation == "Save" && report?.category == "storage")
    #expect(report?.type == "MainstayTests.ShopError")
    #expect(report?.recovery?.succeeded == true && report?.recovery?.id == report?.id)
    #expect(monitor.groups.map(\.recoveryRate) == [1])
  }

  @Test(.requirement("A38")) func `what was not recovered from is thrown again as it was`() async {
    let monitor = ErrorMonitor()
    do throws(ShopError) {
      try await monitor.attempt("Save") { () throws(ShopError) in
        throw .sold(to: "Ada")
      } recover: { _ in
        false
      }
      Issue.record("it was thrown")
    } catch {
      #expect("\(error)" == "sold(to: \"Ada\")")
    }
    #expect(monitor.history.first?.recovery?.succeeded == false)
    #expect(monitor.groups.map(\.recoveryRate) == [0])
  }

  @Test(.requirement("A38")) func `a recovery that fails itself is captured, and is none`() async {
    let monitor = ErrorMonitor()
    await #expect(throws: AppError.self) {
      try await monitor.attempt("Save") { () throws -> Int in
        throw storeError(1)
      } recover: { _ async throws -> Bool in
        throw storeError(2)
      }
    }
    #expect(monitor.history.map(\.code) == ["store.failed-2", "store.failed-1"])
    #expect(monitor.history.first?.details == "while recovering")
    #expect(monitor.history.last?.recovery?.succeeded == false)
  }

  @Test(.requirement("A38")) func `a cancellation is nobody's failure, nor its recovery's`() async {
    let monitor = ErrorMonitor()
    await #expect(throws: CancellationError.self) {
      try await monitor.attempt("Save") {
        throw CancellationError()
      } recover: { _ in
        Issue.record("nothing to recover from")
        return true
      }
    }
    #expect(monitor.ledger.captured == 0)
    await #expect(throws: AppError.self) {
      try await monitor.attempt("Save") { () throws -> Int in
        throw storeError()
      } recover: { _ async throws -> Bool in
        throw CancellationError()
      }
    }
    #expect(monitor.ledger.captured == 1 && monitor.history.first?.recovery == nil)
  }

  @MainActor @Test func `both run where the caller runs`() async throws {
    let monitor = ErrorMonitor()
    var steps: [String] = []
    try await monitor.attempt("Save") {
      MainActor.assertIsolated()
      steps.append("save")
      throw storeError()
    } recover: { _ in
      MainActor.assertIsolated()
      steps.append("recover")
      return true
    }
    #expect(steps == ["save", "recover"])
  }
}
