// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Paths, patterns of paths, and places in a text.
@Suite struct PlaceTests {
  @Test(arguments: [
    ("Sources/App/Cart.swift", PathClass.production),
    ("Cart.swift", .production),
    ("Sources/App/Latest.swift", .production),
    ("Sources/Contests/Round.swift", .production),
    ("Tests/AppTests/CartTests.swift", .test),
    ("Sources/AppTesting/Fakes.swift", .test),
    ("Sources/App/MockCart.swift", .preview),
    ("Sources/App/Mocks/Cart.swift", .test),
    ("Sources/App/SpeedTest.swift", .production),
    ("Sources/TestHelpers/Clock.swift", .test),
    ("Sources/cart-tests/Clock.swift", .test),
    ("Tests/CartSpec.swift", .test),
    ("AppTests/CartTests+Crash.swift", .test),
    ("Sources/App/Cart+Tests.swift", .production),
    ("CodeGeneration/Sources/Templates/Node.swift", .tool),
    ("Sources/generate-nodes/Node.swift", .tool),
    ("App/Preview Content/Cart.swift", .preview),
    ("Sources/App/Cart_Previews.swift", .preview),
    ("Sources/App/Preview/Cart.swift", .production),
    ("Sources/App/LinkPreviewService.swift", .production),
    ("Sources/App/ImagePreviewLoader.swift", .production),
    ("Sources/App/Utils/Files.swift", .production),
    ("Sources/App/Plugins/Cart.swift", .production),
    ("Examples/Shop/Sources/Shop/Cart.swift", .example),
    ("Demo/Cart.swift", .example),
    ("Scripts/release.swift", .tool),
    ("Sources/cart/main.swift", .tool),
    ("Package.swift", .tool),
    ("Package@swift-6.0.swift", .tool),
    ("Plugins/Lint/Plugin.swift", .tool),
    ("Sources/App/Cart.pb.swift", .generated),
    ("Sources/App/Generated/Cart.swift", .generated),
    ("Tests/Generated/CartTests.swift", .generated),
    ("TESTS/CART.SWIFT", .test),
    ("AppUITests/Cart.swift", .test),
    ("Sources/AppTestSupport/Clock.swift", .test),
    ("Modules/Cart/CartTests/Clock.swift", .test),
    ("Modules/Cart/CartTestSupport/Clock.swift", .test),
    ("Sources/App/Tests/Clock.swift", .test),
    ("Packages/Cart/Sources/CartTesting/Fakes.swift", .test),
    ("Tests/Fixtures/Cart.swift", .test),
    ("Sources/App/ABTesting/Variant.swift", .production),
    ("Sources/App/Features/SpeedTest/Run.swift", .production),
    ("Features/SpeedTest/Run.swift", .production),
    ("Sources/Football/Features/Fixtures/Match.swift", .production),
    ("Sources/Shop/Specs/Table.swift", .production),
    ("Sources/Lab/Testing/Sample.swift", .production),
    ("", .production),
  ])
  func `a path says what kind of code it holds`(path: String, expected: PathClass) {
    #expect(PathClass(path: path) == expected)
  }

  @Test(arguments: [
    ("Sources/App/SpeedTest.swift", "Foundation", Severity.error),
    ("Sources/App/MockServerClient.swift", "Foundation", .warning),
    ("App/Preview Content/Samples.swift", "SwiftUI", .warning),
    ("Sources/App/SpeedTest.swift", "XCTest", nil),
    ("Sources/App/CartTests+Crash.swift", "Testing", nil),
    ("Sources/App/MockCart.swift", "XCTest", nil),
    ("Sources/App/Cart.swift", "XCTest", .error),
    ("Sources/App/ABTesting/Variant.swift", "Foundation", .error),
    ("Modules/Cart/CartUITest/Cart.swift", "XCTest", nil),
  ])
  func `a file named like a test is one where it imports a library for tests`(
    path: String, module: String, severity: Severity?
  ) async throws {
    let code = "import \(module)\nfunc f() { do { try save() } catch {} }\n"
    let found = try await report(of: .good(code, path: path), profile: .default).findings
      .filter { $0.rule == "MS201" }
    #expect(found.map(\.severity) == (severity.map { [$0] } ?? []), "\(path)")
  }

  @Test(arguments: [
    "#Preview { Cart { do { try save() } catch {} } }",
    "struct Cart_Previews: PreviewProvider { func f() { do { try save() } catch {} } }",
    "struct Samples: PreviewProvider { func f() { do { try save() } catch {} } }",
  ])
  func `what lies in a preview is one step milder`(code: String) async throws {
    let found = try await report(of: .good(code), profile: .default).findings
      .filter { $0.rule == "MS201" }
    #expect(found.map(\.severity) == [.warning], "\(code)")
  }

  @Test(arguments: [
    ("Sources", "Sources/App/Cart.swift", true),
    ("Sources/", "Sources/App/Cart.swift", true),
    ("./Sources/App", "Sources/App/Cart.swift", true),
    ("Sources/*/Cart.swift", "Sources/App/Cart.swift", true),
    ("Sources/*", "Sources/App/Cart.swift", true),
    ("*.swift", "Cart.swift", true),
    ("*.swift", "Sources/Cart.swift", false),
    ("**/*.swift", "Sources/App/Cart.swift", true),
    ("**/*.swift", "Cart.swift", true),
    ("**/App", "Sources/Deep/App/Cart.swift", true),
    ("**", "Sources/App/Cart.swift", true),
    ("Sources/**/Cart.swift", "Sources/Cart.swift", true),
    ("Sources/**/Cart.swift", "Sources/A/B/Cart.swift", true),
    ("Sources/**/Cart.swift", "Sources/A/B/Order.swift", false),
    ("Sources/App?", "Sources/App2/Cart.swift", true),
    ("Sources/App?", "Sources/App/Cart.swift", false),
    ("Source", "Sources/App/Cart.swift", false),
    ("sources", "Sources/App/Cart.swift", false),
    ("C*t.swift", "Cart.swift", true),
    ("*a*r*t*", "Cart.swift", true),
    ("*a*r*x*", "Cart.swift", false),
    ("Straße/*", "Straße/Cart.swift", true),
  ])
  func `a pattern matches a path`(pattern: String, path: String, expected: Bool) {
    #expect(Glob(pattern).matches(path) == expected)
  }

  @Test func `many stars in one part take no longer than the part times the pattern`() {
    let pattern = Glob(String(repeating: "*a", count: 500) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 5_000)))
  }

  @Test func `many spans of folders take no longer than their number times the folders`() {
    let pattern = Glob(String(repeating: "**/a/", count: 30) + "b")
    #expect(!pattern.matches(String(repeating: "a/", count: 100) + "c"))
  }

  @Test func `lines end at a line feed, a carriage return, or both`() {
    let table = LineTable(Array("a\nbc\r\nd\re".utf8))
    #expect(table.lineCount == 4)
    let places = (0...9).map { table.place(of: $0) }.map { "\($0.line):\($0.column)" }
    #expect(places == ["1:1", "1:2", "2:1", "2:2", "2:3", "2:4", "3:1", "3:2", "4:1", "4:2"])
    #expect((1...4).map { table.bytes(ofLine: $0) } == [0..<2, 2..<6, 6..<8, 8..<9])
  }

  @Test func `a line that is not there has no bytes`() {
    let table = LineTable(Array("a\n".utf8))
    #expect(table.bytes(ofLine: 0) == 2..<2)
    #expect(table.bytes(ofLine: 2) == 2..<2)
    #expect(table.bytes(ofLine: 3) == 2..<2)
  }

  @Test func `an empty text has one empty line`() {
    let table = LineTable([])
    #expect(table.lineCount == 1)
    #expect(table.bytes(ofLine: 1) == 0..<0)
    #expect(table.place(of: 0) == (1, 1))
  }

  @Test func `columns count bytes, and a mark at the start is one of three`() {
    let table = LineTable(Array("\u{FEFF}äb\n🦊c".utf8))
    #expect(table.place(of: 5) == (1, 6))
    #expect(table.place(of: 11) == (2, 5))
  }
}
