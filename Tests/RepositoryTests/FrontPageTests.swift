// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The front page of the site of all libraries, which `Tools/front-page` writes.
@Suite struct FrontPageTests {
  private struct Page: Decodable {
    struct Metadata: Decodable {
      let title: String
    }

    struct Section: Decodable, Equatable {
      let title: String
      let identifiers: [String]
    }

    struct Text: Decodable {
      let text: String
    }

    struct Reference: Decodable {
      let url: String
    }

    let metadata: Metadata
    let abstract: [Text]
    let topicSections: [Section]
    let references: [String: Reference]
  }

  /// A site of two libraries, as `docc merge` leaves it.
  private func site(groups: String) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(
      "data/documentation.json",
      """
      {"metadata": {"title": "folder"}, "topicSections": [{"identifiers": ["doc://A", "doc://B"]}],
       "references": {"doc://A": {"url": "/documentation/a"},
         "doc://B": {"url": "/documentation/b"}}}
      """)
    try folder.write(
      "data/documentation/a.json",
      """
      {"metadata": {"title": "A"}, "abstract": [{"text": "What it is."}],
       "primaryContentSections": [], "topicSections": [\(groups)],
       "references": {"doc://A/Life": {"url": "/documentation/a/life"},
         "doc://A/Guide": {"url": "/documentation/a/guide"},
         "doc://A/E": {"url": "/documentation/a/e"}}}
      """)
    try folder.write(
      "data/documentation/b.json",
      """
      {"metadata": {"title": "B"}, "abstract": [], "primaryContentSections": [],
       "topicSections": [{"title": "Lives", "identifiers": ["doc://B/Life"]}],
       "references": {"doc://B/Life": {"url": "/documentation/b/life"}}}
      """)
    try folder.write(
      "index/index.json",
      """
      {"interfaceLanguages": {"swift": [
        {"title": "folder", "children": [{"title": "B"}, {"title": "A"}]}]}}
      """)
    return folder
  }

  private func write(_ site: ScratchFolder) async throws -> BuiltProgram.End {
    let tool = Repository.current.root.appending(path: "Tools/front-page").path
    return try await BuiltProgram.run(fromPath: tool, [site.path])
  }

  @Test func `the site begins with lives and guides, in the words of its first library`()
    async throws
  {
    let site = try site(
      groups: """
        {"title": "Lives", "identifiers": ["doc://A/Life"]},
        {"title": "Guides", "identifiers": ["doc://A/Guide"]},
        {"title": "Errors", "identifiers": ["doc://A/E"]}
        """)
    // A second time, too: it finds the libraries again.
    for _ in 1...2 {
      let end = try await write(site)
      #expect(end.status == 0, "\(end)")
    }
    let root = URL(filePath: site.path)
    let page = try JSONDecoder().decode(
      Page.self, from: Data(contentsOf: root.appending(path: "data/documentation.json")))
    #expect(page.metadata.title == "A")
    #expect(page.abstract.map(\.text) == ["What it is."])
    #expect(
      page.topicSections == [
        .init(title: "Lives", identifiers: ["doc://A/Life", "doc://B/Life"]),
        .init(title: "Guides", identifiers: ["doc://A/Guide"]),
        .init(title: "Libraries", identifiers: ["doc://A", "doc://B"]),
      ])
    #expect(
      page.references.keys.sorted() == [
        "doc://A", "doc://A/Guide", "doc://A/Life", "doc://B", "doc://B/Life",
      ])
    let index = try String(contentsOf: root.appending(path: "index/index.json"), encoding: .utf8)
    let list = #""title": "A", "children": [{"title": "A"}, {"title": "B"}]"#
    #expect(index.contains(list), "\(index)")
  }

  @Test func `a site without a guide is refused, so that nobody takes them away unseen`()
    async throws
  {
    let site = try site(groups: #"{"title": "Lives", "identifiers": ["doc://A/Life"]}"#)
    let end = try await write(site)
    #expect(end.status == 1 && end.errors.contains("`Guides`"), "\(end)")
  }
}
