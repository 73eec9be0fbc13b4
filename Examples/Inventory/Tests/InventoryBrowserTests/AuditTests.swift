// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

extension BrowserTests {
  /// The audit itself, on pages that are wrong on purpose.
  @Suite(.ends(withinMinutes: 10)) struct AuditTests {
    private static func page(_ body: String, lang: String = " lang=\"en\"") -> String {
      """
      <!DOCTYPE html><html\(lang)><head><title>A page</title><style>
      * { box-sizing: border-box } body { background: #fff; color: #000 }
      button, input { min-height: 44px; border: 1px solid #333 }
      </style></head><body><main><h1>A page</h1>\(body)</main></body></html>
      """
    }

    private static let wrong: [(name: String, page: String, mistake: String)] = [
      ("language", page("", lang: ""), "html-has-lang"),
      ("headings", page("<h1>Another</h1>"), "2 headings of level 1"),
      ("levels", page("<h3>Deep</h3>"), "heading-order"),
      ("ids", page("<p id='a'>a</p><p id='a'>b</p>"), "duplicate-id"),
      ("labels", page("<p aria-labelledby='nobody'>a</p>"), "aria-labelledby leads to nothing"),
      ("images", page("<img src='data:,'>"), "image-alt"),
      ("svg", page("<svg width='9' height='9'></svg>"), "a picture without words"),
      ("summaries", page("<details><summary></summary><p>a</p></details>"), "no name"),
      ("roles", page("<ul role='status'><li>a</li></ul>"), "listitem"),
      ("links", page("<a class='button' href='#nowhere'>There</a>"), "a link to nowhere"),
      ("buttons", page("<button></button>"), "button-name"),
      ("landmarks", page("</main><p>Outside</p><main>"), "region"),
      ("icons", page("<svg aria-hidden='true'><use href='#nothing'/></svg>"), "an empty icon"),
      ("names", page("<input>"), "label"),
      ("folded", page("<details><summary>More</summary><input></details>"), "label"),
      ("contrast", page("<p style='color: #888'>Pale</p>"), "color-contrast"),
      ("opacity", page("<p style='opacity: 0.4'>Pale</p>"), "color-contrast"),
      ("layers", page("<div style='background: #000a'><p>Dark</p></div>"), "color-contrast"),
      (
        "examples",
        page("<style>::placeholder { color: #aaa }</style><input aria-label='a' placeholder='b'>"),
        "an example has a contrast"
      ),
      (
        "edges", page("<input aria-label='a' style='border-color: #ddd'>"),
        "an edge has a contrast of 1.3"
      ),
      (
        "targets", page("<button style='min-height: 0; height: 30px'>Tap</button>"),
        "only 30.0 high to tap"
      ),
      ("width", page("<p style='width: 2000px'>Wide</p>"), "the page is 2"),
      (
        "words", page("<p style='width: 2em; overflow-wrap: anywhere'>Inventory</p>"),
        "“Inventory” is broken in two"
      ),
    ]

    @Test func `it finds what is wrong`() async throws {
      let pages = Dictionary(uniqueKeysWithValues: Self.wrong.map { ("/\($0.name)", $0.page) })
      try await withPages(pages) { origin in
        try await withBrowser { browser in
          for (name, _, mistake) in Self.wrong {
            try await browser.open("\(origin)/\(name)")
            let mistakes = try await Audit.mistakes(browser)
            #expect(mistakes.contains { $0.hasPrefix(mistake) }, "\(name): \(mistakes)")
          }
        }
      }
    }

    @Test func `it finds nothing where nothing is wrong`() async throws {
      let body = """
        <h2>Part</h2><p id="hint">A hint</p>
        <label for="a">Name</label><input id="a" aria-describedby="hint" placeholder="Ada">
        <button><svg aria-hidden="true" width="9" height="9"><rect width="9" height="9"/></svg>
        Send</button><img src="data:," alt="">
        """
      try await withPages(["/": Self.page(body)]) { origin in
        try await withBrowser { browser in
          try await browser.open(origin)
          #expect(try await Audit.mistakes(browser) == [])
        }
      }
    }
  }
}
