// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct LengthRulesTests {
  private func lines(_ count: Int) -> String { String(repeating: "\n", count: count) }

  @Test func `finds a file of 401 lines, and spares one of 400`() {
    #expect(LengthRules.files([planted(lines(400))]).isEmpty)
    #expect(LengthRules.files([planted(lines(401))]).lines == [401])
  }

  @Test func `finds a function of 71 lines, and spares one of 70`() {
    #expect(LengthRules.functions([planted("\nfunc a() {" + lines(69) + "}")]).isEmpty)
    let found = LengthRules.functions([planted("\nfunc a() {" + lines(70) + "}")])
    #expect(found.lines == [2])
    #expect(
      found.first?.description.hasPrefix(
        "Sources/Mainstay/Planted.swift:2: `a` has 71 lines, more than 70. ") == true)
  }

  @Test func `is not misled by braces in texts and comments`() {
    let text = "func a() { // }\n\"}\"; \"\"\"\n}\n\"\"\"; \"\\(\"}\")\"" + lines(70) + "}"
    #expect(LengthRules.functions([planted(text)]).lines == [1])
  }

  @Test func `measures initialisers, subscripts and computed properties`() {
    for start in ["init?(a: Int)", "deinit", "subscript(a: Int) -> Int", "var a: some View"] {
      let text = "struct S {\n\(start) {" + lines(70) + "}\n}"
      #expect(LengthRules.functions([planted(text)]).lines == [2], "\(start)")
    }
  }

  @Test func `finds a line of 101 columns, and spares addresses in comments`() {
    let wide = String(repeating: "ä", count: 101)
    #expect(LengthRules.width([planted("\n\(wide)\n\(wide.dropLast())")]).lines == [2])
    #expect(LengthRules.width([planted("  /// https://\(wide)")]).isEmpty)
    #expect(LengthRules.width([planted("let a = \"https://\(wide)\"")]).lines == [1])
  }
}
