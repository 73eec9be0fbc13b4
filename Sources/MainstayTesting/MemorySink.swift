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
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
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
      let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
      state.watchers.removeAll { $0.count <= count }
      return ready
    }
    for watcher in ready { watcher.resume() }
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

  /// Returns as soon as it has been handed at least this many batches.
  public func batches(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.batches.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
