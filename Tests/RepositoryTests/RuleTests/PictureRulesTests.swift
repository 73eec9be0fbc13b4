// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct PictureRulesTests {
  private let paths = [
    "A.docc/P/One.svg", "A.docc/P/One~dark.svg", "A.docc/P/Two.svg", "P/a.png", "P/b.png",
  ]

  private func found(_ text: String, at path: String) -> [String] {
    PictureRules.violations([planted(path, text)], paths: paths).map(\.rule)
  }

  @Test func `a picture of a catalog has a dark twin and words`() {
    #expect(found("![The states of one](One)", at: "A.docc/B.md").isEmpty)
    #expect(
      found("![](One)\n\n![The states of two](Two)", at: "A.docc/B.md") == [
        "a picture says `` to those who do not see it", "the picture `Two~dark` is not there",
      ])
  }

  @Test func `a picture elsewhere has a source for dark screens`() {
    let good = """
      <picture>
        <source media="(prefers-color-scheme: dark)" srcset="../P/b.png">
        <img src="../P/a.png" alt="What is
          to be seen">
      </picture>
      """
    #expect(found(good, at: "D/A.md").isEmpty)
    #expect(found("![What is to see](../P/a.png)", at: "D/A.md").count == 1)
    #expect(found(good.replacing("b.png", with: "c.png"), at: "D/A.md").count == 1)
    #expect(found(#"<img src="../P/a.png">"#, at: "D/A.md").count == 2)
  }
}
