// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// A page of HTML that shows an export: no script, no picture and no font from elsewhere.
struct ErrorsPage {
  private let document: ErrorsDocument

  init(_ document: ErrorsDocument) { self.document = document }

  var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Errors</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <h1>Errors</h1>
    <p>\(summary)</p>
    \(document.trends.map(trend).joined(separator: "\n"))
    <h2>Groups</h2>
    \(document.groups.map(group).joined(separator: "\n"))
    </body>
    </html>

    """
  }

  private var summary: String {
    let errors = document.groups.map(\.count).boundedSum
    let left = [
      ("Lines that could not be read", document.unreadableLines),
      ("Records that could not be read", document.unreadableRecords),
      ("Reports without a time that can be read", document.undatedReports),
      (
        "Reports that wait and only a service can read",
        document.onlyForServices.map(\.records).boundedSum
      ),
    ]
    return "\(Format.count(errors, "error")) in \(Format.count(document.groups.count, "group")), "
      + "written down "
      + Format.time(document.generatedAt) + " UTC."
      + left.filter { $0.1 > 0 }.map { " \($0): \($1)." }.joined()
  }

  private func trend(_ trend: LoggedTrend) -> String {
    let most = max(trend.counts.max() ?? 0, 1)
    let (width, height) = (trend.counts.count * 12, 120)
    let bars = trend.counts.enumerated().map { index, count in
      let part = Double(count) / Double(most)
      let tall = count == 0 ? 1 : max(2, Int(part * Double(height)))
      return "<rect x=\"\(index * 12 + 1)\" y=\"\(height - tall)\" width=\"10\" height=\"\(tall)\">"
        + "<title>\(count)</title></rect>"
    }
    let words = trend.counts.map(String.init).joined(separator: ", ")
    return """
      <figure>
      <figcaption>Per \(trend.per.rawValue), at most \(trend.counts.max() ?? 0): \
      \(Format.time(trend.from)) to \(Format.time(trend.to)) UTC</figcaption>
      <svg viewBox="0 0 \(width) \(height)" preserveAspectRatio="none" role="img" \
      aria-label="Counts: \(words)">\
      \(bars.joined())</svg>
      </figure>
      """
  }

  private func group(_ group: LoggedGroup) -> String {
    let report = group.latest
    let rows: [(String, String?)] = [
      ("Message", report.message), ("Group", group.fingerprint.description),
      ("Kind", "\(report.kind), \(report.disposition)"),
      ("Type", report.type), ("Place", report.site.description),
      ("First", Format.time(group.firstSeen)), ("Last", Format.time(group.lastSeen)),
      ("During", group.operations.keys.sorted().joined(separator: ", ")),
      ("Shown", report.shownText), ("Recovered", group.recoveryText),
      ("Details", report.details),
      ("Causes", report.causes.map(\.description).joined(separator: "\n")),
    ]
    let cells = rows.compactMap { name, value -> String? in
      guard let value, !value.isEmpty else { return nil }
      return "<tr><th scope=\"row\">\(name)</th><td>\(Self.escaped(value))</td></tr>"
    }
    return """
      <details>
      <summary><b class="\(group.severity.rawValue)">\(group.count)</b> \
      \(Self.escaped(report.heading)) <code>\(Self.escaped(report.code.rawValue))</code></summary>
      <table>\(cells.joined())</table>
      </details>
      """
  }

  /// What turns the direction of all that follows, and controls that are no bytes of ASCII.
  private static func misleads(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isBidiControl || (0x80...0x9f).contains(scalar.value)
      || scalar.value == 0x2028 || scalar.value == 0x2029
  }

  /// The text as HTML, byte by byte: an accent after a quotation mark must not hide it.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var previous: UInt8 = 0
    let scalars = text.unicodeScalars.map { misleads($0) ? "\u{fffd}" : $0 }
    for byte in String(String.UnicodeScalarView(scalars)).utf8 {
      defer { previous = byte }
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break  // one end, not two
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): bytes += "<br>".utf8
      case UInt8(ascii: "\t"): bytes.append(byte)
      case ..<0x20, 0x7f: bytes += "\u{fffd}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let style = """
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
    body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
    figure { margin: 1.5rem 0; }
    svg { width: 100%; height: 8rem; fill: #0a6cff; background: #8881; border-radius: 4px; }
    details { border-top: 1px solid #8885; padding: .5rem 0; }
    summary { cursor: pointer; }
    summary b { display: inline-block; min-width: 3.5rem; text-align: right; }
    b.error, b.critical { color: #c5221f; }
    b.warning { color: #a05a00; }
    code { opacity: .7; }
    table { margin: .5rem 0 .5rem 4rem; }
    th { text-align: left; vertical-align: top; padding-right: 1rem; }
    th { font-weight: normal; opacity: .7; }
    td { overflow-wrap: anywhere; white-space: pre-wrap; }
    @media (prefers-color-scheme: dark) {
      b.error, b.critical { color: #ff8a80; }
      b.warning { color: #ffb74d; }
      svg { fill: #6ea8ff; }
    }
    """
}
