// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The Swift that stands in the fences of a page in Markdown.
struct MarkdownCode {
  /// As many bytes as the page has, with spaces for all that is no Swift: each place keeps its
  /// line and its offset.
  let swift: [UInt8]
  /// The fences that do not parse; they are left out, so that they spoil no other.
  private let broken: [Range<Int>]
  /// What nests too deep in a fence, which was not parsed then.
  let nestingTrouble: String?
  private let bytes: [UInt8]

  var brokenCount: Int { broken.count }

  /// A page that has more of them is about something else.
  private static let mostBroken = 50

  static func isMarkdown(_ path: String) -> Bool {
    let path = path.lowercased()
    return path.hasSuffix(".md") || path.hasSuffix(".markdown")
  }

  init(_ page: [UInt8]) {
    bytes = Self.withoutEllipses(page)
    var kept: [Range<Int>] = []
    var broken: [Range<Int>] = []
    let fences = Self.fences(in: bytes)
    nestingTrouble = fences.lazy.compactMap { [bytes] in Nesting.trouble(in: bytes[$0]) }.first
    for fence in nestingTrouble == nil ? fences : [] {
      let tree = SourceFileSyntax.parsed(bytes[fence])
      if tree.troubleOffset == nil { kept.append(fence) } else { broken.append(fence) }
    }
    self.broken = broken
    swift = Self.masked(bytes, keeping: kept)
  }

  func troubles(in path: String) -> [ParseTrouble] {
    broken.prefix(Self.mostBroken).compactMap { fence in
      let code = Self.masked(bytes, keeping: [fence])
      let tree = SourceFileSyntax.parsed(code[...])
      let file = AuditedFile(
        path: path, pathClass: .example, bytes: code, tree: tree, rules: [],
        vocabulary: Vocabulary())
      return ParseTrouble(file, "example")
    }
  }

  private static func masked(_ bytes: [UInt8], keeping ranges: [Range<Int>]) -> [UInt8] {
    var masked = bytes.map { $0 == 0x0A || $0 == 0x0D ? $0 : 0x20 }
    for range in ranges { masked.replaceSubrange(range, with: bytes[range]) }
    return masked
  }

  /// The page with three underscores, which are a name, for each "…", which authors write for code
  /// that they leave out.
  private static func withoutEllipses(_ page: [UInt8]) -> [UInt8] {
    guard page.contains(sequence: [0xE2, 0x80, 0xA6]) else { return page }
    var page = page
    for index in page.indices.dropLast(2)
    where page[index] == 0xE2 && page[index + 1] == 0x80 && page[index + 2] == 0xA6 {
      page.replaceSubrange(index..<(index + 3), with: [0x5F, 0x5F, 0x5F])
    }
    return page
  }

  /// The bytes inside of each fence that says it is Swift.
  private static func fences(in page: [UInt8]) -> [Range<Int>] {
    let lines = LineTable(page)
    var fences: [Range<Int>] = []
    var open: (mark: Fence, start: Int)?
    for line in 1...lines.lineCount {
      let range = lines.bytes(ofLine: line)
      guard let mark = Fence(page[range]) else { continue }
      if let current = open {
        guard mark.closes(current.mark) else { continue }
        if current.mark.isSwift { fences.append(current.start..<range.lowerBound) }
        open = nil
      } else {
        open = (mark, range.upperBound)
      }
    }
    if let open, open.mark.isSwift { fences.append(open.start..<page.count) }
    return fences
  }

  /// A line of three or more backticks or tildes.
  private struct Fence {
    let character: UInt8
    let count: Int
    let info: String

    init?(_ line: ArraySlice<UInt8>) {
      let text = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard let first = text.first, first == UInt8(ascii: "`") || first == UInt8(ascii: "~")
      else { return nil }
      character = first
      count = text.prefix { $0 == first }.count
      guard count >= 3 else { return nil }
      info = String(decoding: text.dropFirst(count), as: UTF8.self)
      // `a` in a line of text.
      guard first != UInt8(ascii: "`") || !info.contains("`") else { return nil }
    }

    var isSwift: Bool {
      let word = info.drop { $0 == " " || $0 == "\t" }.prefix { $0.isLetter || $0.isNumber }
      return word.lowercased() == "swift"
    }

    func closes(_ other: Fence) -> Bool {
      character == other.character && count >= other.count
        && info.allSatisfy(\.isWhitespace)
    }
  }
}

extension [UInt8] {
  /// The first line with bytes that are no UTF-8; nil where all are.
  var firstLineThatIsNoUTF8: Int? {
    if withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) != nil }) { return nil }
    let lines = LineTable(self)
    return (1...lines.lineCount).first { line in
      String(validating: self[lines.bytes(ofLine: line)], as: UTF8.self) == nil
    } ?? 1
  }
}
