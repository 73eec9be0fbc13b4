// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// A sink that keeps what it is handed, and answers as the test says.
///
/// ```swift
/// let sink = MemorySink("analytics", purpose: .analytics)
/// let monitor = ErrorMonitor(sinks: [sink], consent: .init(analytics: true))
/// ```
public final class MemorySink: ReportSink {
  private struct State {
    var batches: [ErrorReport.Batch] = []
    var script: [ErrorReport.SendOutcome] = []
    var stall: CheckedContinuation<Void, Never>?
    var stallsNext: Bool
    var nextID: UInt64 = 0
    var watchers: [UInt64: Watcher] = [:]
  }

  private struct Watcher {
    let count: Int
    /// Is given whether there are so many batches.
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// Its name.
  public let name: String
  /// What it is for.
  public let purpose: ErrorReport.Purpose
  private let state: Locked<State>

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - purpose: What it is for; the default is the log, which is handed everything.
  ///   - answers: What it answers to the first batches, in order; then it accepts.
  ///   - isStalled: Whether it does not answer before ``release()``.
  public init(
    _ name: String = "memory", purpose: ErrorReport.Purpose = .log,
    answers: [ErrorReport.SendOutcome] = [], isStalled: Bool = false
  ) {
    self.name = name
    self.purpose = purpose
    state = Locked(State(script: answers, stallsNext: isStalled))
  }

  /// What it was handed, batch by batch, whatever it answered.
  public var batches: [ErrorReport.Batch] { state.withLock { $0.batches } }

  /// All reports that it was handed, in order.
  public var reports: [ErrorReport] { batches.flatMap(\.reports) }

  /// All recoveries that it was handed, in order.
  public var recoveries: [ErrorReport.Recovery] { batches.flatMap(\.recoveries) }

  /// All reports of earlier batches that it was handed again, since more is known, in order.
  public var updates: [ErrorReport] { batches.flatMap(\.updates) }

  /// Keeps the batch and answers.
  public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome {
    let ready = state.withLock { state in
      state.batches.append(batch)
      let count = state.batches.count
      let ready = state.watchers.filter { $0.value.count <= count }
      for id in ready.keys { state.watchers[id] = nil }
      return ready.values.map(\.continuation)
    }
    for watcher in ready { watcher.resume(returning: true) }
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.stallsNext { state.stall = continuation }
        return !state.stallsNext
      }
      if goesOn { continuation.resume() }
    }
    return state.withLock { $0.script.isEmpty ? .accepted : $0.script.removeFirst() }
  }

  /// Lets it answer again, from now on.
  public func release() {
    let stall = state.withLock { state in
      state.stallsNext = false
      defer { state.stall = nil }
      return state.stall
    }
    stall?.resume()
  }

  /// Returns as soon as it was handed at least this many batches, or the own task is cancelled.
  ///
  /// A test that expects one batch too many ends with its time limit, which cancels its task. A
  /// line on standard error then says where it waited, for how many, and how many there were.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  public func batches(
    atLeast count: Int, fileID: String = #fileID, line: Int = #line
  ) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isMet = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isThere = state.withLock { state in
          if state.batches.count >= count { return true }
          state.watchers[id] = Watcher(count: count, continuation: continuation)
          return false
        }
        if isThere { continuation.resume(returning: true) }
        // The handler may have run before the watcher was there.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
    guard !isMet else { return }
    UnmetWait.ended(
      fileID, line, until: "the sink \(name) had at least \(count) batches",
      found: "It had \(batches.count).")
  }

  private func leave(_ id: UInt64) {
    state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume(returning: false)
  }
}
