// SPDX-License-Identifier: Apache-2.0

/// The page about other libraries, as far as it tells of Mainstay's own tests.
enum PeerRules {
  static let page = "Documentation/Peers.md"

  /// The page with as many tests of each trap as there are; all else stays as it was measured.
  ///
  /// - Parameters:
  ///   - page: The text of the page.
  ///   - proofs: The tests, and the suites that are about a trap as a whole.
  /// - Returns: The text with Mainstay's column counted anew.
  static func counted(_ page: String, proofs: [Proof]) -> String {
    let tests = Dictionary(grouping: proofs, by: \.id).mapValues { Set($0.map(\.test)).count }
    return page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let row = line.prefixMatch(of: /\| (P\d+) \| [^|]+ \| ([^|]+) \|/) else {
        return String(line)
      }
      let count = tests[String(row.1), default: 0]
      let words = count == 0 ? "open" : "\(count) test\(count == 1 ? "" : "s")"
      return "\(line[..<row.2.startIndex])\(words)\(line[row.2.endIndex...])"
    }.joined(separator: "\n")
  }
}
