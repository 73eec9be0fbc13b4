// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

/// What has states says them before anything else: drawn, and each transition by its name.
@Suite struct LifecycleTests {
  @Test(arguments: LifecycleRules.pages.keys.sorted())
  func `a life is drawn, and every transition is named`(path: String) throws {
    let repository = Repository.current
    let page = SourceFile(path: path, text: try repository.text(at: path))
    let library = String(path.split(separator: "/")[1])
    let name = try #require(path.split(separator: "/").last?.dropLast(3))
    #expect(page.lines.contains { $0.hasPrefix("![") && $0.hasSuffix("](\(name))") })

    let folder = "Sources/\(library)/\(library).docc/Pictures"
    let heading = try #require(LifecycleRules.pages[path])
    let differences = LifecycleRules.differences(
      page, heading: heading,
      diagram: try repository.text(at: "Documentation/Diagrams/\(library)/\(name).dot"),
      pictures: [
        try repository.text(at: "\(folder)/\(name).svg"),
        try repository.text(at: "\(folder)/\(name)~dark.svg"),
      ])
    expectNone(differences)
  }

  @Test func `the front page begins with the five lives`() throws {
    let front = try Repository.current.text(at: "Sources/Mainstay/Mainstay.docc/Mainstay.md")
    let end = try #require(front.firstRange(of: "## Topics")).lowerBound
    for path in LifecycleRules.pages.keys {
      let name = try #require(path.split(separator: "/").last?.dropLast(3))
      let mention = front[..<end].lowercased()
      #expect(mention.contains(name.lowercased()), "\(name) is not mentioned before the topics")
    }
  }

  @Test(arguments: LifecycleRules.pages.keys.sorted())
  func `the front page of a library lists its lives before any symbol`(path: String) throws {
    let library = String(path.split(separator: "/")[1])
    let name = try #require(path.split(separator: "/").last?.dropLast(3))
    let front = try Repository.current.text(
      at: "Sources/\(library)/\(library).docc/\(library).md")
    let halves = front.split(separator: "\n## Topics\n")
    #expect(halves.count == 2)
    #expect(halves[0].contains("<doc:\(name)>"), "\(name) is not in the overview")
    let beginning = halves[1].prefix(upTo: try #require(halves[1].firstRange(of: "``")).lowerBound)
    #expect(beginning.contains("- <doc:\(name)>\n"), "\(name) follows symbols")
  }
}
