// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

/// The pages of reference say what the code says.
@Suite struct ReferenceTests {
  private func page() throws -> SourceFile {
    let path = ReferenceRules.page
    return SourceFile(path: path, text: try Repository.current.text(at: path))
  }

  @Test(arguments: ReferenceRules.tables.indices)
  func `every event and reason has its row, in the words of the code`(index: Int) throws {
    let (heading, path, name) = ReferenceRules.tables[index]
    let source = SourceFile(path: path, text: try Repository.current.text(at: path))
    let cases = ReferenceRules.cases(of: name, in: source)
    #expect(cases.count > 4)
    expectNone(ReferenceRules.stale(try page(), under: heading, cases: cases))
  }

  @Test func `the page about why names every reason, loss and obstacle of the code`() throws {
    let path = "Sources/Mainstay/Mainstay.docc/Guides/FindingOutWhy.md"
    let page = try Repository.current.text(at: path)
    let named = Set(page.matches(of: /`(\w+)`/).map { String($0.1) })
    let declared = [
      ("Mainstay/Policies/PolicyEvent.swift", "enum GiveUpReason:", /^ *case (\w+)/),
      ("Mainstay/Monitoring/Report/DropReason.swift", "DropReason {", /static let (\w+) = Self/),
      ("MainstayOutbox/Obstacle.swift", "enum Obstacle:", /^ *case (\w+)/),
      ("MainstayOutbox/Conflicts/MergeFindings.swift", "enum Cause:", /^ *case (\w+)/),
    ]
    for (path, beginning, declaration) in declared {
      let text = try Repository.current.text(at: "Sources/\(path)")
      let lines = SourceFile(path: path, text: text).lines
      let start = try #require(lines.lastIndex { $0.contains(beginning) }, "\(path)")
      let indent = lines[start].prefix { $0 == " " }
      let body = lines[(start + 1)...].prefix { $0 != indent + "}" }
      let names = body.compactMap { $0.firstMatch(of: declaration).map { String($0.1) } }
      #expect(names.count > 5, "\(path)")
      #expect(Set(names).subtracting(named).isEmpty, "\(path)")
    }
  }

  @Test func `the example alarms are about metrics and labels that there are`() throws {
    let text = try Repository.current.text(at: AlarmRules.file)
    let alarms = SourceFile(path: AlarmRules.file, text: text)
    #expect(text.ranges(of: "- alert: ").count > 8)
    expectNone(AlarmRules.violations(alarms, page: try page()))
  }

  @Test func `every metric has its row`() throws {
    let sources = Repository.current.swiftFiles.filter { $0.isBelow("Sources") }
    expectNone(ReferenceRules.metrics(try page(), sources: sources))
  }
}
