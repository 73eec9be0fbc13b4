// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The tables of kinds and of actions against those that there are.
@Suite struct KindTests {
  @Test func `the page of an error's life lists every kind once, in their order`() throws {
    let repository = Repository.current
    let source = try repository.text(at: "Sources/Mainstay/Errors/ErrorKind.swift")
    let kinds = source.split(separator: "\n").compactMap { line in
      line.contains("public static let") ? line.split(separator: "\"").dropFirst().first : nil
    }
    let path = "Sources/Mainstay/Mainstay.docc/Types/ErrorLifecycle.md"
    let page = SourceFile(path: path, text: try repository.text(at: path))
    let titles = "| Kind | Means | Who heeds it | The connection |"
    let listed = page.lines.drop { $0 != titles }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(kinds.count > 20)
    #expect(listed.compactMap { String($0[1]).codeSpans.first } == kinds.map(String.init))
    #expect(listed.allSatisfy { $0.count == 6 }, "kind, meaning, who heeds it, the connection")
  }

  private func kinds() throws -> [String: [String]] {
    let path = "Sources/Mainstay/Mainstay.docc/Types/ErrorLifecycle.md"
    let page = SourceFile(path: path, text: try Repository.current.text(at: path))
    let table = page.lines.drop { !$0.hasPrefix("| Kind |") }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
    let rows = table.map { $0.split(separator: " | ").map(String.init) }
    return Dictionary(
      uniqueKeysWithValues: try rows.map { (try #require($0[0].codeSpans.first), $0) })
  }

  /// What stands between two texts of a file, by the names after dots: what a kind is matched to.
  private func names(in path: String, from start: String, to end: String) throws -> Set<String> {
    let text = try Repository.current.text(at: "Sources/\(path).swift")
    let begin = try #require(text.firstRange(of: start), "\(path)").upperBound
    let rest = text[begin...]
    let stop = try #require(rest.firstRange(of: end), "\(path)").lowerBound
    return Set(rest[..<stop].matches(of: /\.(\w+)/).map { String($0.1) })
  }

  @Test func `the page of kinds says what a monitor of the connection reads of each`() throws {
    let path = "Sources/Mainstay/Connectivity/Connectivity+Evidence.swift"
    let lines = try Repository.current.text(at: path).split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.contains("var sign: Sign {") })
    var signs: [String: String] = [:]
    for line in lines[start...] where line.contains("    case .") {
      let names = line.matches(of: /\.(\w+)/).map { String($0.1) }
      for kind in names.dropLast() { signs[kind] = names.last }
    }
    #expect(signs.count > 10)
    for (kind, row) in try kinds() {
      #expect(row.last == "\(signs[kind] ?? "nothing") |", "\(kind)")
    }
  }

  @Test func `the page of kinds says which count as never sent, and slow an outbox down`() throws {
    let unsent = try names(
      in: "MainstayHTTP/AppError+Sent", from: "beforeSending: Set<ErrorKind> = [", to: "]")
    let unreachable = try names(
      in: "MainstayOutbox/DrainPaceStateMachine", from: "if [", to: "].contains(error.kind)")
    #expect(unsent.count > 2 && unreachable.count > 2)
    for (kind, row) in try kinds() {
      #expect(row[2].contains("counts as never sent") == unsent.contains(kind), "\(kind)")
      #expect(row[2].contains("runs one at a time") == unreachable.contains(kind), "\(kind)")
    }
  }

  @Test func `the page of actions lists every button once, with its words`() throws {
    let repository = Repository.current
    let source = try repository.text(at: "Sources/Mainstay/Errors/RecoveryAction.swift")
    let declared = source.matches(
      of: /static let (\w+) = RecoveryAction\("[^"]+", "([^"]+)"/
    ).map { [".\($0.1)", String($0.2)] }
    let path = "Sources/Mainstay/Mainstay.docc/Types/OfferingActions.md"
    let page = SourceFile(path: path, text: try repository.text(at: path))
    let rows = MarkdownTable(under: "## The actions that there are", in: page).rows.map(\.cells)
    #expect(declared.count > 5)
    #expect(rows.map { [$0[0].codeSpans.first, $0[1]] } == declared.map { [$0[0], $0[1]] })
    #expect(rows.allSatisfy { $0.count == 4 && !$0.contains("") })
  }
}
