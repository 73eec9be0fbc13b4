// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The tables of defaults of an outbox against the code, as `StyleTests` does it for policies.
@Suite struct DefaultTests {
  /// A table, where its defaults stand in the code, and what it has to list.
  struct Table: CustomTestStringConvertible {
    let page: String
    let heading: String
    let sources: [String]

    /// What stands before the names in the list of the public surface.
    let declaration: String

    /// Parameters that are no settings.
    let others: Set<String>

    var testDescription: String { heading }
  }

  private static let pages = "Sources/MainstayOutbox/MainstayOutbox.docc/"

  private static let tables = [
    Table(
      page: "OperationLifecycle", heading: "### Of a worker",
      sources: ["Worker", "Conflicts/MergingOperation"], declaration: "Worker.init(",
      others: ["for", "fileID", "function", "line", "run"]),
    Table(
      page: "OperationLifecycle", heading: "### Of an outbox", sources: ["Outbox+Configuration"],
      declaration: "Outbox.Configuration.", others: []),
    Table(
      page: "SchedulingOperations", heading: "## What can be wished for",
      sources: ["EnqueueOptions"], declaration: "EnqueueOptions.init(", others: []),
  ]

  private func file(_ path: String) throws -> SourceFile {
    SourceFile(path: path, text: try Repository.current.text(at: path))
  }

  /// The labels of an initialiser, or the properties of a type.
  private func names(of table: Table) throws -> Set<String> {
    let interface = try Repository.current.text(at: "API/MainstayOutbox.txt").split(separator: "\n")
    let lines = interface.filter { $0.hasPrefix(table.declaration) }
      .map { $0.dropFirst(table.declaration.count) }
    guard table.declaration.hasSuffix("(") else {
      return Set(lines.compactMap { $0.prefixMatch(of: #/(\w+): var /#).map { String($0.1) } })
    }
    let labels = lines.flatMap { $0.prefix { $0 != ")" }.split(separator: ":") }
    return Set(labels.map(String.init)).subtracting(table.others)
  }

  @Test(arguments: tables)
  func `a table has every setting once, with the default of the code`(table: Table) throws {
    let page = try file("\(Self.pages)\(table.page).md")
    let rows = MarkdownTable(under: table.heading, in: page).rows
    let listed = rows.compactMap { $0.cells.first?.codeSpans.first }
    #expect(listed.count == rows.count && Set(listed).count == rows.count)
    let names = try names(of: table)
    #expect(names.count > 4)
    #expect(Set(listed) == names)
    #expect(rows.allSatisfy { $0.cells.count > 2 && !$0.cells[1].codeSpans.isEmpty })
    let sources = try table.sources.map { try file("Sources/MainstayOutbox/\($0).swift") }
    expectNone(PolicyPageRules.defaults([page], under: table.heading, sources: sources))
  }
}
