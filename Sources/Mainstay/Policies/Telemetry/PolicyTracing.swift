// SPDX-License-Identifier: Apache-2.0

internal import Tracing

/// Notes the events of policies on the span of the call that they happened to.
///
/// That span is the one that is active for the current service context where the tracer can tell,
/// else the innermost ``Trace`` around the call. An event is told where it happened: one that
/// several calls have led to, such as the opening of a breaker, is noted on one of them.
public struct PolicyTracing: PolicyObserver {
  private let minimumSeverity: Severity

  /// Makes an observer that notes events on spans.
  ///
  /// - Parameter minimumSeverity: What is milder is not noted; the default is `info`.
  public init(minimumSeverity: Severity = .info) { self.minimumSeverity = minimumSeverity }

  /// Notes an event on the current span; nothing where there is none.
  public func observe(_ event: PolicyEvent) {
    guard event.what.severity >= minimumSeverity, let span = Trace.currentSpan, span.isRecording
    else { return }
    var attributes: SpanAttributes = ["mainstay.policy": .string(event.policy)]
    for (name, value) in event.details { attributes["mainstay.\(name)"] = value }
    span.addEvent(SpanEvent(name: "mainstay.\(event.what.name)", attributes: attributes))
  }
}

/// Makes a span of whatever runs inside: of each attempt inside of ``Retry``, of the whole call
/// outside of it.
///
/// ```swift
/// let catalog = Pipeline("catalog") {
///   Trace("catalog")
///   Retry()
///   Trace("catalog attempt")
/// }
/// ```
///
/// The status of the span is that of the error's ``Disposition/span``: a cancellation by the caller
/// and a refusal by a policy are no errors of the traced work. Errors are recorded redacted.
public struct Trace: Policy {
  private static let local = TaskLocal<(any Span)?>(wrappedValue: nil)

  /// The innermost span that is known.
  static var currentSpan: (any Span)? {
    // The context is asked first: a library may have begun a span inside of the last `Trace`.
    let active = InstrumentationContext.current.flatMap { context in
      InstrumentationSystem.tracer.activeSpan(identifiedBy: context)
    }
    return active ?? local.get()
  }

  private let name: String

  /// Makes a span for each run.
  ///
  /// - Parameter name: The name of the operation that the span stands for: one of a few that stand
  ///   in the code, without ids or addresses.
  public init(_ name: String) { self.name = name }

  /// Runs an operation within a span of its own.
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    let span = InstrumentationSystem.tracer.startAnySpan(name, ofKind: .client)
    defer { span.end() }
    return try await Self.local.withValue(span) {
      try await InstrumentationContext.withValue(span.context) {
        do {
          return try await operation()
        } catch {
          record(Classification.disposition(of: error), of: error, on: span)
          throw error
        }
      }
    }
  }

  /// Runs an operation within a span of its own, and says how it ended; nothing is thrown or
  /// allocated for a refusal, but for the span.
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    let span = InstrumentationSystem.tracer.startAnySpan(name, ofKind: .client)
    defer { span.end() }
    return await Self.local.withValue(span) {
      await InstrumentationContext.withValue(span.context) {
        let outcome = await operation()
        if let disposition = Classification.disposition(of: outcome) {
          record(disposition, of: outcome.error ?? CancellationError(), on: span)
        }
        return outcome
      }
    }
  }

  /// Notes how a call ended; its error is asked for only where it is one of the span.
  private func record(
    _ disposition: Disposition, of error: @autoclosure () -> any Error, on span: any Span
  ) {
    // A cancellation by one of our own time limits is a failure of the work.
    let isTooSlow = disposition == .cancelled && ActiveLimit.current?.hasExpired == true
    guard disposition.span == .error || isTooSlow else { return span.setStatus(.init(code: .ok)) }
    let recorded = RecordedError(error())
    span.setStatus(.init(code: .error, message: recorded.code))
    span.recordError(
      recorded,
      attributes: ["error.type": .string(recorded.type), "error.code": .string(recorded.code)])
  }
}

extension Trace: PipelineStage {
  package var summaries: [StageSummary] {
    [StageSummary(.trace, name: name, "makes a span of whatever runs inside", .refuses)]
  }
}
