// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `Tools/check-site`, which looks for links of the site of all libraries that lead nowhere.
@Suite struct SiteTests {
  /// A site of two pages, one of which refers to the other, to a heading of it and to a picture.
  private func site(
    page: String = "/documentation/b", heading: String = "/documentation/b#Two-words",
    picture: String = "/images/a/life.svg", group: String = "doc://B",
    listed: String = "/documentation/b"
  ) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(
      "data/documentation/a.json",
      """
      {"topicSections": [{"title": "Pages", "identifiers": ["\(group)"]}],
       "references": {"doc://B": {"url": "\(page)"}, "two": {"url": "\(heading)"},
         "elsewhere": {"url": "https://example.org/documentation/c"},
         "above": {"url": "/documentation"},
         "life": {"type": "image", "variants": [{"url": "\(picture)"}]}}}
      """)
    try folder.write(
      "data/documentation/b.json",
      """
      {"primaryContentSections": [{"content": [{"type": "heading", "anchor": "Two-words"}]}],
       "references": {"more": {"anchor": "Of-another-page"}}}
      """)
    try folder.write("images/a/life.svg", "<svg/>")
    try folder.write(
      "index/index.json",
      #"{"interfaceLanguages": {"swift": [{"path": "/documentation/a"}, {"path": "\#(listed)"}]}}"#)
    return folder
  }

  private func check(_ site: ScratchFolder) async throws -> BuiltProgram.End {
    let tool = Repository.current.root.appending(path: "Tools/check-site").path
    return try await BuiltProgram.run(fromPath: tool, [site.path])
  }

  @Test func `a site whose links lead somewhere passes`() async throws {
    let end = try await check(try site())
    #expect(end.status == 0, "\(end)")
    #expect(end.output == "2 pages with 5 links: each leads somewhere.\n")
  }

  @Test func `a link to no page, no heading or no picture is named with its page`() async throws {
    let wrong = [
      (try site(page: "/documentation/c"), "/documentation/a: no such page: /documentation/c"),
      (
        try site(heading: "/documentation/b#Of-another-page"),
        "/documentation/a: no such heading: /documentation/b#Of-another-page"
      ),
      (try site(picture: "/images/b.svg"), "/documentation/a: no such picture: /images/b.svg"),
      (try site(group: "doc://C"), "/documentation/a: refers to nothing: doc://C"),
      (
        try site(listed: "/documentation/c"),
        "the list of all pages: no such page: /documentation/c"
      ),
    ]
    for (site, fault) in wrong {
      let end = try await check(site)
      #expect(end.status == 1 && end.errors == fault + "\n", "\(end)")
    }
  }

  @Test func `making the documentation looks at its links`() throws {
    let makefile = try Repository.current.text(at: "Makefile")
    let docs = try #require(makefile.firstMatch(of: /(?m)^docs:.*\n((?:\t.*\n)+)/)).1
    #expect(docs.hasSuffix("\t@Tools/front-page\n\t@Tools/check-site\n"), "\(docs)")
  }
}
