// SPDX-License-Identifier: Apache-2.0

import Foundation
internal import Tracing

/// A sink that also sees each report in the task that captured it, for what belongs to that task,
/// or must not depend on a queue.
///
/// It is asked outside of all locks and while the caller waits, so it neither blocks nor dawdles.
protocol CaptureNoting: ReportSink {
  /// From now on it sees each error, and is handed reports besides; called before anything else.
  func beginNoting()

  func noteCaptured(_ report: ErrorReport)

  /// An error was captured of which there is no report, since its group has had its share.
  func noteSuppressed(_ code: ErrorCode, isHandled: Bool)

  func noteRecovery(_ recovery: ErrorReport.Recovery)
}

extension CaptureNoting {
  func beginNoting() {}
  func noteSuppressed(_ code: ErrorCode, isHandled: Bool) {}
  func noteRecovery(_ recovery: ErrorReport.Recovery) {}
}

extension ErrorReport {
  /// Notes reports on the span of the call in which they were captured.
  ///
  /// That span is found as ``PolicyTracing`` finds it. A report becomes the event
  /// `mainstay.errorReported`, never `exception`: whoever ends the span with an error, such as
  /// `withSpan` or ``Trace``, records that itself, and it would stand there twice. An error that
  /// somebody deals with leaves the status of the span alone, whether or not recovery works. One
  /// that nobody deals with makes it an error, also where its group has had its share and there is
  /// no event. Cancellations never come to a sink.
  public struct SpanSink: ReportSink, CaptureNoting {
    /// The name.
    public let name: String
    /// Its own traces: handed everything.
    public var purpose: ErrorReport.Purpose { .log }

    /// Makes a sink.
    ///
    /// - Parameter name: The name in the ledger.
    public init(name: String = "spans") { self.name = name }

    /// Notes a report on the current span; nothing where there is none.
    func noteCaptured(_ report: ErrorReport) {
      guard let span = Trace.currentSpan, span.isRecording else { return }
      var attributes: SpanAttributes = [
        "error.type": .string(report.code.rawValue),
        "exception.type": .string(report.type),
        "mainstay.fingerprint": .string(report.fingerprint.description),
        "mainstay.report": .string(report.id.uuidString.lowercased()),
        "mainstay.handled": .bool(report.isHandled),
      ]
      if let operation = report.operation { attributes["mainstay.operation"] = operation }
      span.addEvent(SpanEvent(name: "mainstay.errorReported", attributes: attributes))
      if !report.isHandled { fail(span, report.code) }
    }

    /// Spares the span the event: the limit is there for services, and a span is sent in any case.
    func noteSuppressed(_ code: ErrorCode, isHandled: Bool) {
      guard !isHandled, let span = Trace.currentSpan, span.isRecording else { return }
      fail(span, code)
    }

    private func fail(_ span: any Span, _ code: ErrorCode) {
      span.attributes["error.type"] = code.rawValue
      span.setStatus(SpanStatus(code: .error, message: code.rawValue))
    }

    /// Accepts what was noted when it was captured.
    public func send(_ batch: ErrorReport.Batch) async -> ErrorReport.SendOutcome { .accepted }
  }
}
