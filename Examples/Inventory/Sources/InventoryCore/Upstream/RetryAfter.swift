// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// How long a service asks to wait, in either of the two forms of the header `Retry-After`.
///
/// Source: RFC 9110, sections 10.2.3 and 5.6.7.
package enum RetryAfter {
  /// The wait that a header asks for.
  ///
  /// - Parameters:
  ///   - header: Seconds, or one of the three forms of an HTTP date.
  ///   - now: The time of day, for the second form.
  /// - Returns: The wait, at least zero; nil for anything else.
  package static func wait(_ header: String, now: Date) -> Duration? {
    let text = header.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .seconds(min(Int64(text) ?? .max, 31_536_000))
    }
    guard let date = date(text) else { return nil }
    let seconds = min(max(date.timeIntervalSince(now), 0), 31_536_000)
    return .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }

  private static func date(_ text: String) -> Date? {
    let formats = [
      "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'",
      "EEE MMM d HH:mm:ss yyyy",
    ]
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    for format in formats {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}
