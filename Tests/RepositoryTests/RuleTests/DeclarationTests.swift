// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import Testing

@Suite struct DeclarationTests {
  private func names(_ text: String) -> [String] {
    planted("a.swift", text).declarations.map { ($0.types + [$0.name]).joined(separator: ".") }
  }

  @Test func `members stand in their types`() {
    let text = """
      struct A<T> where T: P {
        var b: Int { 1 }
        init?(c: Int = { 1 }()) { self.init() }
        enum D { static func == (a: D, b: D) -> Bool { true } }
        subscript(i: Int) -> Int { get { 1 } set {} }
        deinit {}
      }
      extension A.D { class func `e f`() throws(X) -> [Int] where T: P {} }
      """
    #expect(
      names(text) == [
        "A", "A.b", "A.init", "A.D", "A.D.==", "A.subscript", "A.deinit", "A.D", "A.D.e f",
      ])
  }

  @Test func `brackets without a counterpart are found`() {
    #expect(planted("a.swift", "f(a[1]) { \"}\" /* ) */ }").unmatchedBrackets.isEmpty)
    #expect(planted("a.swift", "{ ) }").unmatchedBrackets.count == 2)
    #expect(planted("a.swift", "f(").unmatchedBrackets == [1])
  }

  @Test func `what has no body is not found`() {
    #expect(names("protocol P { func a()\n var b: Int { get }\n func c() }") == ["P", "P.b"])
    #expect(names("func f() { var x = { 1 }\n var y: Int\n if x { } }") == ["f"])
    #expect(names("import struct A.B\nlet c = D.init { }\ncase actor(Int)") == [])
  }
}
