// SPDX-License-Identifier: Apache-2.0

internal import Tracing

extension Trace {
  static let traceKey = "trace_id"
  static let spanKey = "span_id"

  /// The identifiers of the current span, for reports: as `enrich` of an ``ErrorMonitor``.
  ///
  /// ```swift
  /// ErrorMonitor(sinks: sinks, enrich: { _ in Trace.identifiers })
  /// ```
  ///
  /// They are those that the tracer would put into the header `traceparent` of a request; empty
  /// where there is no span or the tracer has another form. Encodings put them where services look
  /// for them.
  public static var identifiers: [String: ErrorReport.Attachment] {
    guard let header = headers.first(where: { $0.key.lowercased() == "traceparent" })?.value else {
      return [:]
    }
    let parts = header.prefix(200).split(separator: "-").map { $0.lowercased() }
    guard parts.count >= 4, isIdentifier(parts[1], length: 32), isIdentifier(parts[2], length: 16)
    else { return [:] }
    return [traceKey: .public(parts[1]), spanKey: .public(parts[2])]
  }

  /// The headers by which a request is part of the current trace, as the tracer writes them; empty
  /// where there is no span and no tracer.
  package static var headers: [String: String] {
    // A `Trace` sets it too, so it is never further out than the span of one.
    guard let context = InstrumentationContext.current else { return [:] }
    var carrier: [String: String] = [:]
    InstrumentationSystem.instrument.inject(context, into: &carrier, using: HeaderInjector())
    return carrier
  }

  /// Whether a text is a hexadecimal number of a length, and not zero.
  static func isIdentifier(_ text: String, length: Int) -> Bool {
    let digits = Array("0123456789abcdef".utf8)
    return text.utf8.count == length && text.utf8.allSatisfy(digits.contains)
      && text.utf8.contains { $0 != UInt8(ascii: "0") }
  }
}

private struct HeaderInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    carrier[key] = value
  }
}
