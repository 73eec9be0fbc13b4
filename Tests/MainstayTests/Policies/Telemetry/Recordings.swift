// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Tracing

/// A span that writes down what becomes of it.
struct RecordingSpan: Span {
  let name: String
  let log: Log
  let context: InstrumentationContext
  var isRecording: Bool { true }
  var operationName: String {
    get { name }
    nonmutating set { log.add("\(name) renamed \(newValue)") }
  }
  var attributes: SpanAttributes {
    get { [:] }
    nonmutating set { log.add("\(name) has \(newValue.count) attributes") }
  }

  func setStatus(_ status: SpanStatus) { log.add("\(name) status \(status.code)") }

  func addEvent(_ event: SpanEvent) {
    var pairs: [String] = []
    event.attributes.forEach { name, value in
      if case .string(let text) = value { pairs.append("\(name)=\(text)") }
    }
    log.add("\(name) event \(event.name) \(pairs.sorted().joined(separator: " "))")
  }

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) { log.add("\(name) error \(error)") }

  func addLink(_ link: SpanLink) {}

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    log.add("\(name) ended")
  }
}

/// A tracer that writes down what becomes of its spans.
struct RecordingTracer: Tracer {
  let log = Log()
  /// What it puts into requests; nothing where it is nil.
  var traceparent: String?
  /// Whether contexts name the spans that were begun with it, so that they are found again.
  var tellsSpans = false

  private enum SpanKey: InstrumentationContextKey {
    typealias Value = String
  }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext,
    ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
    file fileID: String, line: UInt
  ) -> RecordingSpan {
    log.add("\(operationName) began")
    var own = context()
    if tellsSpans { own[SpanKey.self] = operationName }
    return RecordingSpan(name: operationName, log: log, context: own)
  }

  func activeSpan(identifiedBy context: InstrumentationContext) -> RecordingSpan? {
    context[SpanKey.self].map { RecordingSpan(name: $0, log: log, context: context) }
  }

  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}

  func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    if let name = context[SpanKey.self] { injector.inject(name, forKey: "span", into: &carrier) }
    if let traceparent { injector.inject(traceparent, forKey: "traceparent", into: &carrier) }
  }
}
