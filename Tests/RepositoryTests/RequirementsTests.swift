// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `Documentation/Requirements.md` against the list and against the tests' traits.
@Suite struct RequirementsTests {
  private let repository = Repository.current

  private var proofs: [Proof] {
    Proof.proofs(in: repository.swiftFiles.filter { $0.isBelow("Tests") })
  }

  private func list() throws -> Requirements {
    Requirements(list: try repository.text(at: Requirements.list))
  }

  @Test func `every requirement is listed once`() throws { expectNone(try list().violations()) }

  @Test func `tests prove only requirements that exist`() {
    expectNone(Requirements.unknownIDs(in: proofs))
  }

  @Test func `the page says what the tests prove`() throws {
    try expect(Requirements.page, try list().markdown(proofs: proofs))
  }

  @Test func `the page about other libraries counts the tests that there are`() throws {
    let page = try repository.text(at: PeerRules.page)
    #expect(page.contains(/\| P1 \| [^|]+ \| \d+ tests \|/))
    try expect(PeerRules.page, PeerRules.counted(page, proofs: proofs))
  }

  /// With `MAINSTAY_WRITE_REQUIREMENTS=1`, which `make requirements` sets, the page is written.
  private func expect(
    _ path: String, _ current: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    let page = repository.root.appending(path: path)
    if ProcessInfo.processInfo.environment["MAINSTAY_WRITE_REQUIREMENTS"] == "1" {
      try Data(current.utf8).write(to: page)
    }
    let written = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    let line = zip(written.split(separator: "\n"), current.split(separator: "\n"))
      .first { $0 != $1 }
    #expect(
      written == current,
      """
      \(path) is stale. Run `make requirements`. First difference:
        written: \(line?.0 ?? "the end")
        current: \(line?.1 ?? "the end")
      """, sourceLocation: location)
  }
}
