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

  @Test func `every metric has its row`() throws {
    let sources = Repository.current.swiftFiles.filter { $0.isBelow("Sources") }
    expectNone(ReferenceRules.metrics(try page(), sources: sources))
  }
}
