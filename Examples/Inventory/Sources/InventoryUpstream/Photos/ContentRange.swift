// SPDX-License-Identifier: Apache-2.0

/// Which part of a photo a request carries, by `Content-Range`.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-14.5
struct ContentRange: Sendable, Equatable {
  /// The offsets of its bytes; nil when it only asks how far the upload has come.
  let bytes: Range<Int>?

  /// The bytes of the whole photo.
  let total: Int

  /// Reads `bytes 0-65535/200000` or `bytes */200000`.
  ///
  /// - Throws: `Problem` for anything else.
  init(_ header: String) throws(Problem) {
    let mistake = Problem.badHeader(
      "Content-Range must be like bytes 0-65535/200000 or bytes */200000, not \(header).")
    let parts = header.split(separator: "/", omittingEmptySubsequences: false)
    guard header.hasPrefix("bytes "), parts.count == 2, let total = Self.number(parts[1]),
      total > 0
    else { throw mistake }
    self.total = total
    let range = parts[0].dropFirst("bytes ".count)
    if range == "*" {
      bytes = nil
    } else {
      let ends = range.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
      guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total
      else { throw mistake }
      bytes = first..<last + 1
    }
  }

  private static func number(_ digits: some StringProtocol) -> Int? {
    digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(digits) : nil
  }
}
