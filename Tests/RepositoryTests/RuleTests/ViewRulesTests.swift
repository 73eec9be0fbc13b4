// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ViewRulesTests {
  private let view = "Sources/MainstayUI/Views/Planted.swift"
  private let app = "Examples/InventoryApp/Sources/InventoryApp/Planted.swift"

  @Test func `finds views with parts that are there without SwiftUI`() {
    let inside = "// A\n\n#if canImport(SwiftUI)\n  import SwiftUI\n#endif\n"
    #expect(ViewRules.partlyGuarded([planted(view, inside)]).isEmpty)
    for text in [
      "import Mainstay\n" + inside, inside + "struct A {}\n", "import SwiftUI\n",
      inside.replacing("canImport(SwiftUI)", with: "os(macOS)"),
    ] {
      #expect(ViewRules.partlyGuarded([planted(view, text)]).lines == [1], "\(text)")
    }
  }

  @Test func `finds imports of SwiftUI where it may be missing`() {
    let open = "import Foundation\n\npublic import SwiftUI\n"
    let guarded = "#if canImport(SwiftUI)\n  import SwiftUI\n#endif\n"
    #expect(ViewRules.strayImports([planted(open), planted(app, open)]).lines == [3, 3])
    #expect(ViewRules.strayImports([planted("Snippets/A.swift", open)]).lines == [3])
    #expect(ViewRules.strayImports([planted(guarded)]).lines == [2])
    #expect(ViewRules.strayImports([planted(view, guarded), planted(app, guarded)]).isEmpty)
  }

  @Test func `finds public views that nothing shows`() {
    let declared = "public struct ErrorCard<A>: View {}\nstruct Part: View {}\n"
    #expect(ViewRules.unseen([planted(view, declared)]).lines == [1])
    #expect(ViewRules.unseen([planted(view, declared + "#Preview { ErrorCard(1) }")]).isEmpty)
  }

  @Test func `finds targets that hide Apple's`() {
    #expect(ViewRules.shadows(["MainstayUI", "Mainstay"]).isEmpty)
    #expect(ViewRules.shadows(["MainstayUI", "SwiftUI"]).count == 1)
  }

  @Test func `finds lists that are gone after a day under local changes`() {
    let text = "cache.updates(for: a, overlaying: Add.self, of: outbox)\n"
    let bounded = "ResponseCache(\"a\", of: .everybody, in: store)\n" + text
    let shown = bounded.replacing("store)", with: "store, policy: .offlineFirst)")
    for path in [app, "Snippets/A.swift"] {
      #expect(ViewRules.boundedLists([planted(path, bounded)]).lines == [2])
      #expect(ViewRules.boundedLists([planted(path, shown)]).isEmpty)
    }
    #expect(ViewRules.boundedLists([planted(bounded)]).isEmpty)
  }

  @Test func `finds an app that can only try again what was given up`() {
    let again = planted(app, "outbox.redrive(id)\n")
    #expect(ViewRules.deadEnds([again]).lines == [1])
    #expect(ViewRules.deadEnds([again, planted(app, "outbox.discard(id)\n")]).isEmpty)
    #expect(ViewRules.deadEnds([planted(view, "outbox.redrive(id)\n")]).isEmpty)
  }

  @Test func `finds an app that is too long`() {
    let full = String(repeating: "\n", count: ViewRules.maximumAppLines)
    #expect(ViewRules.lengthOfApp([planted(app, full), planted(full)]).isEmpty)
    #expect(ViewRules.lengthOfApp([planted(app, full), planted(app, "\n")]).count == 1)
  }
}
