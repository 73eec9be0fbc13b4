// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Diagnostics {
  /// What documents are made from; built once, when the app starts.
  public final class Source: Sendable {
    private let monitor: ErrorMonitor
    private let sections: [Section]
    private let limit: Duration
    private let timeline: Timeline
    private let start: Duration

    /// Makes a source; its uptime begins now.
    ///
    /// - Parameters:
    ///   - monitor: What knows of errors, and the facts about the app.
    ///   - sections: What modules add.
    ///   - limit: How long all sections together may take; more than zero, cut to a year. The
    ///     default is 2 seconds.
    ///   - clock: What uptime and limit are measured with; the time of day is the monitor's.
    public init(
      _ monitor: ErrorMonitor, sections: [Section] = [], limit: Duration = .seconds(2),
      clock: some Clock<Duration> = ContinuousClock()
    ) {
      precondition(
        limit > .zero, "Diagnostics.Source(limit: \(limit)) is not legal: it must be more than zero"
      )
      self.monitor = monitor
      self.sections = sections
      self.limit = limit.clamped
      timeline = Timeline(clock)
      start = timeline.now
    }

    /// Makes a document.
    ///
    /// It asks all sections at once, and waits for none of them longer than the limit, whether or
    /// not it heeds its cancellation. Where the caller is cancelled, it waits no longer, and
    /// sections without an answer say so.
    public func collect() async -> Diagnostics {
      let answers = await SectionReading.all(sections, limit: limit, timeline: timeline)
      let trends = ErrorMonitor.Span.allCases.map { ($0.rawValue, monitor.trend(per: $0)) }
      return Diagnostics(
        version: Diagnostics.currentVersion,
        generatedAt: monitor.wallClock().finite,
        uptime: max(0, (timeline.now - start).clamped.inSeconds),
        versions: Self.system.merging(monitor.facts) { $1 },
        sections: answers,
        lastErrors: monitor.history.prefix(20).map(\.trimmed),
        groups: monitor.mostCommon(50).map(GroupSummary.init),
        trends: Dictionary(uniqueKeysWithValues: trends),
        ledger: monitor.ledger)
    }

    private static var system: [String: String] {
      let process = ProcessInfo.processInfo
      #if compiler(>=6.5)
        let compiler = "6.5 or later"
      #elseif compiler(>=6.4)
        let compiler = "6.4"
      #elseif compiler(>=6.3)
        let compiler = "6.3"
      #else
        let compiler = "6.2"
      #endif
      #if arch(arm64)
        let architecture = "arm64"
      #elseif arch(x86_64)
        let architecture = "x86_64"
      #else
        let architecture = "other"
      #endif
      return [
        "os": Redaction.redact(process.operatingSystemVersionString),
        "architecture": architecture,
        "processors": String(process.activeProcessorCount),
        "swift": compiler,
      ]
    }
  }
}

/// The answers of all sections, as far as they come in time.
private final class SectionReading: Sendable {
  private struct State {
    var answers: [String: Diagnostics.Answer] = [:]
    var open: Int
    var continuation: CheckedContinuation<Void, Never>?
    var isOver = false
    var isCancelled = false
  }

  private let state: Locked<State>

  private init(_ count: Int) { state = Locked(State(open: count)) }

  static func all(
    _ sections: [Diagnostics.Section], limit: Duration, timeline: Timeline
  ) async -> [String: Diagnostics.Answer] {
    // Of several with one name the last one counts.
    let named = Dictionary(sections.map { ($0.name, $0) }) { $1 }
    guard !named.isEmpty else { return [:] }
    let reading = SectionReading(named.count)
    let tasks = named.values.map { section in
      Task.detached { await reading.answer(section) }
    }
    let end = timeline.now + limit
    // A task of its own, too: a section that heeds no cancellation must not hold up the document.
    let watch = Task.detached {
      try? await timeline.sleep(until: end)
      reading.finish()
    }
    await withTaskCancellationHandler {
      await reading.settled()
    } onCancel: {
      reading.finish(isCancelled: true)
    }
    for task in tasks + [watch] { task.cancel() }
    return reading.answers(of: named.keys, limit: limit)
  }

  private func answer(_ section: Diagnostics.Section) async {
    let answer: Diagnostics.Answer
    do {
      answer = Diagnostics.Answer(value: try await section.read(), error: nil)
    } catch {
      answer = Diagnostics.Answer(value: nil, error: RecordedError(error))
    }
    let continuation = state.withLock { state in
      guard !state.isOver else { return CheckedContinuation<Void, Never>?.none }
      state.answers[section.name] = answer
      state.open -= 1
      return state.open == 0 ? Self.close(&state) : nil
    }
    continuation?.resume()
  }

  private func finish(isCancelled: Bool = false) {
    let continuation = state.withLock { state in
      if !state.isOver { state.isCancelled = isCancelled }
      return Self.close(&state)
    }
    continuation?.resume()
  }

  private static func close(_ state: inout State) -> CheckedContinuation<Void, Never>? {
    state.isOver = true
    defer { state.continuation = nil }
    return state.continuation
  }

  private func settled() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.continuation = continuation }
        return state.isOver
      }
      if isOver { continuation.resume() }
    }
  }

  private func answers(
    of names: some Sequence<String>, limit: Duration
  ) -> [String: Diagnostics.Answer] {
    let (known, isCancelled) = state.withLock { ($0.answers, $0.isCancelled) }
    var answers = known
    let error =
      isCancelled
      ? RecordedError(
        type: QualifiedTypeName.of(CancellationError.self), code: "",
        text: "cancelled: nobody waits for the document any more")
      : RecordedError(Diagnostics.Section.TooSlow(limit: limit))
    for name in names where answers[name] == nil {
      answers[name] = Diagnostics.Answer(value: nil, error: error)
    }
    return answers
  }
}
