// SPDX-License-Identifier: Apache-2.0

import Testing

/// What people read: its words, its sentences, its links and its pictures.
@Suite struct ProseTests {
  private static let files = Repository.current.writtenFiles.filter {
    $0.path.hasSuffix(".md") && !$0.path.contains("/Fixtures/")
  }

  /// Without the page whose sentences are the names of tests, and that with the words of others.
  private static let pages = files.filter {
    ![Requirements.page, NoticeTests.page].contains($0.path)
  }.map(MarkdownPage.init)

  private let repository = Repository.current
  private var files: [SourceFile] { Self.files }
  private var pages: [MarkdownPage] { Self.pages }

  @Test func `there are pages to be read`() {
    #expect(pages.contains { $0.path == "README.md" })
    #expect(pages.contains { $0.path.contains(".docc/") })
    #expect(pages.flatMap(\.passages).count > 1_000)
  }

  @Test func `sentences can be read in one breath`() {
    expectNone(ProseRules.longSentences(pages))
  }

  @Test func `there is one word for each idea`() { expectNone(WordRules.wrongWords(pages)) }

  @Test func `sentences of documentation comments can be read in one breath, too`() {
    let sources = repository.swiftFiles.filter {
      $0.isBelow("Sources") || $0.path.hasPrefix("Examples/")
    }
    let comments = sources.map(MarkdownPage.documentation)
    #expect(comments.contains { $0.path.hasPrefix("Examples/") && !$0.passages.isEmpty })
    #expect(comments.flatMap(\.passages).count > 1_000)
    expectNone(ProseRules.longSentences(comments))
  }

  @Test func `there is one word for each idea in documentation comments, too`() {
    let sources = repository.swiftFiles.filter { $0.isBelow("Sources") }
    let comments = sources.map(MarkdownPage.documentation)
    #expect(comments.flatMap(\.passages).count > 1_000)
    expectNone(WordRules.wrongWords(comments))
  }

  @Test func `every link to a heading finds it`() { expectNone(AnchorRules.brokenAnchors(files)) }

  @Test func `every link to a page of a catalog finds it`() {
    expectNone(AnchorRules.brokenTopics(files))
  }

  @Test func `every picture is there, light and dark, and in words`() {
    expectNone(PictureRules.violations(files, paths: repository.paths))
  }
}
