// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct LinkRulesTests {
  private let paths = ["README.md", "Documentation/A.md", "Documentation/With space/B.md"]

  private func found(_ text: String) -> [Int] {
    LinkRules.brokenLinks([planted("Documentation/A.md", text)], paths: paths).lines
  }

  @Test func `finds links that lead nowhere`() {
    #expect(found("[a](B.md)\n\n[a](../readme.md), [b](../../README.md)") == [1, 3, 3])
  }

  @Test func `spares links that lead somewhere`() {
    #expect(found("[a](../README.md#top) [b](With%20space/B.md) [c](With%20space) [d](..)").isEmpty)
    #expect(found("[a](https://swift.org) [b](#here) [c](mailto:a@example.com)").isEmpty)
  }

  @Test func `does not read code`() {
    #expect(found("`[a](b.md)`\n```swift\n[a](b.md)\n```\n[`a`](b.md)") == [5])
  }

  @Test func `finds the pages of other catalogs by their addresses`() {
    let text = """
      [a](/documentation/other/onepage) [b](/documentation/other#top)
      [c](/documentation/other/twopages)
      [d](/documentation/a/onepage)
      [e](/elsewhere/other/onepage)
      """
    let paths = ["Sources/Other/Other.docc/Deep/OnePage.md", "Sources/Other/Other.docc/Other.md"]
    let page = planted("Sources/A/A.docc/B.md", text)
    #expect(LinkRules.brokenLinks([page], paths: paths).lines == [2, 3, 4])
  }

  @Test func `finds the pictures of a catalog by their names`() {
    let page = planted("Sources/A.docc/Pages/B.md", "![a](One)\n![b](Two)")
    let paths = ["Sources/A.docc/Pictures/One.svg", "Sources/Other.docc/Two.svg"]
    #expect(LinkRules.brokenLinks([page], paths: paths).lines == [2])
  }
}
