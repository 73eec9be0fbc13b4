// SPDX-License-Identifier: Apache-2.0

import MainstayDashboard
import TestSupport
import Testing

/// What it costs to write a page, in looks at what it shows.
@Suite(.ends(withinMinutes: 5)) struct PageLibraryTests {
  /// A value of a page that counts how often it is looked at.
  private struct Counted: CustomReflectable {
    let looks: Log
    let parts: KeyValuePairs<String, Any>

    var customMirror: Mirror {
      looks.add("look")
      return Mirror(self, children: parts, displayStyle: .struct)
    }
  }

  @Test func `each value is looked at once, whatever a table asks of it`() {
    let looks = Log()
    let nothing: String? = nil
    func counted(_ parts: KeyValuePairs<String, Any>) -> Counted {
      Counted(looks: looks, parts: parts)
    }
    let rows = (0..<50).map { row in
      let cells = (0..<7).map { column in
        counted(["text": "\(row) \(column)", "isNumber": column == 0, "link": nothing as Any])
      }
      return counted(["key": Optional("\(row)") as Any, "cells": cells])
    }
    let table = counted(["title": "Letters", "hasRows": true, "columns": [Counted](), "rows": rows])
    let page = PageLibrary().render(table, with: "table")
    #expect(page.contains("<bdi>49 6</bdi>"))
    #expect(page.matches(of: /data-key=/).count == 50)
    #expect(looks.lines.count == 1 + 50 + 350)
  }

  @Test func `what is nil is not looked for in what is around it`() {
    let nothing: String? = nil
    let looks = Log()
    let cell = Counted(looks: looks, parts: ["text": "a", "link": nothing as Any])
    let row = Counted(looks: looks, parts: ["link": "/elsewhere", "cells": [cell]])
    let table = Counted(
      looks: looks,
      parts: ["title": "Letters", "hasRows": true, "columns": [Counted](), "rows": [row]])
    let page = PageLibrary().render(table, with: "table")
    #expect(page.contains("<bdi>a</bdi>"))
    #expect(!page.contains("/elsewhere"))
  }
}
