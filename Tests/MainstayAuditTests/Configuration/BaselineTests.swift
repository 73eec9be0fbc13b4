// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

@Suite struct BaselineTests {
  private func findings(_ text: String, path: String = "a.swift") async -> [Finding] {
    await Audit().run([AuditSource(path: path, text: text)]).findings
  }

  private static let two = """
    func f() {
      do { try save() } catch {}
      do { try save() } catch {}
    }

    """

  @Test func `a baseline is read as it was written, an entry a line`() async throws {
    let baseline = Baseline(await findings(Self.two))
    #expect(
      baseline.text.split(separator: "\n").map { $0.replacing(#/[0-9a-f]{16}/#, with: "#") } == [
        #"{"version": 1, "findings": ["#,
        ##"{"path": "a.swift", "in": "f", "rule": "MS201", "statement": "#", "ordinal": 0},"##,
        ##"{"path": "a.swift", "in": "f", "rule": "MS201", "statement": "#", "ordinal": 1}"##,
        "]}",
      ])
    let read = try Baseline(text: baseline.text)
    #expect(read.entries == baseline.entries)
    #expect(try Baseline(text: Baseline([]).text).entries.isEmpty)
  }

  @Test func `names with odd characters are read as they were written`() async throws {
    let path = "a \"b\" \\ \u{1}\n é/\u{2028}.swift"
    let baseline = Baseline(await findings(Self.two, path: path))
    #expect(baseline.text.split(separator: "\n").count == 4)
    #expect(try Baseline(text: baseline.text).entries.map(\.path) == [path, path])
  }

  @Test func `a finding is known wherever its lines move`() async throws {
    let baseline = Baseline(await findings(Self.two))
    let moved = "import Foundation\n\n\n" + Self.two.replacing("  do {", with: "      do  {")
    #expect(baseline.apply(to: await findings(moved)).new.isEmpty)
    #expect(baseline.apply(to: await findings(moved)).unmet.isEmpty)
  }

  @Test func `one more of a kind is new, and one less is left over`() async throws {
    let baseline = Baseline(await findings(Self.two))
    let three = Self.two.replacing("}\n}", with: "}\n  do { try save() } catch {}\n}")
    let (new, unmet) = baseline.apply(to: await findings(three))
    #expect(new.map(\.line) == [4] && unmet.isEmpty)
    let one = "func f() {\n  do { try save() } catch {}\n}\n"
    let (none, left) = baseline.apply(to: await findings(one))
    #expect(none.isEmpty && left.map(\.ordinal) == [1])
  }

  @Test func `among equal ones that on a changed line is the new one`() async {
    let one = "func f() {\n  do { try save() } catch {}\n}\n"
    let baseline = Baseline(await findings(one))
    let found = await findings(Self.two)
    let (above, _) = baseline.apply(to: found, isChanged: { $0.line == 2 })
    #expect(above.map(\.line) == [2])
    let (below, _) = baseline.apply(to: found, isChanged: { $0.line == 3 })
    #expect(below.map(\.line) == [3])
    let (all, unmet) = baseline.apply(to: found, isChanged: { _ in true })
    #expect(all.map(\.line) == [3] && unmet.isEmpty)
  }

  @Test func `what is wrong with comments and files is never known`() async throws {
    let idle = "// mainstay:ignore MS201 -- no more\nlet a = 1\n"
    let broken = "func f( {\n"
    let found = await findings(idle + broken)
    #expect(Set(found.map(\.rule)) == ["MS001", "MS005"])
    #expect(Baseline(found).entries.isEmpty)
    let entries = found.map { finding in
      let keys = #""path": "a.swift", "in": "", "rule": "\#(finding.rule)""#
      return "{\(keys), \"statement\": \"0000000000000000\", \"ordinal\": 0}"
    }
    let earlier = #"{"version": 1, "findings": [\#(entries.joined(separator: ","))]}"#
    let (new, unmet) = try Baseline(text: earlier).apply(to: found)
    #expect(new == found && unmet.isEmpty)
  }

  @Test func `the same code in another function is new`() async {
    let baseline = Baseline(await findings(Self.two))
    let other = Self.two.replacing("func f", with: "func g")
    #expect(baseline.apply(to: await findings(other)).new.count == 2)
  }

  @Test func `a handler is known by itself and by what is tried first`() async {
    let code = """
      func f() {
        do {
          let a = try g()
          use(a)
        } catch { message = "no" }
      }

      """
    let baseline = Baseline(await findings(code))
    #expect(baseline.entries.map(\.rule).contains("MS202"))
    for other in ["use(a, 2)", "use(a)\n    use(a)", "next()"] {
      let (new, unmet) = baseline.apply(to: await findings(code.replacing("use(a)", with: other)))
      #expect(new.isEmpty && unmet.isEmpty, "\(other)")
    }
    for (old, other) in [("\"no\"", "\"none\""), ("g()", "h()")] {
      let (new, unmet) = baseline.apply(to: await findings(code.replacing(old, with: other)))
      #expect(!new.isEmpty && !unmet.isEmpty, "\(other)")
    }
  }

  @Test func `what a long do is followed by is known by the handler`() async {
    let long = String(repeating: "    use(1)\n", count: 100)
    let code = "func f() {\n  do {\n    try g()\n\(long)  } catch { count += 1 }\n}\n"
    let baseline = Baseline(await findings(code))
    let (new, _) = baseline.apply(
      to: await findings(code.replacing("count += 1", with: "total += 1")))
    #expect(!baseline.entries.isEmpty && new.count == baseline.entries.count)
  }

  @Test(arguments: [
    ("var one: Int { BODY }", "A.one"), ("var one: Int { get { BODY } }", "A.one"),
    ("subscript(i: Int) -> Int { BODY }", "A.subscript"), ("deinit { BODY }", "A.deinit"),
    ("let one: Int = { BODY }()", "A.one"), ("func f() { BODY }", "A.f"),
    ("func f() { let g = { BODY }; g() }", "A.f"), ("init() { BODY }", "A.init"),
  ])
  func `a finding names the member that it lies in`(member: String, name: String) async {
    let body = "do { try x() } catch {}"
    let found = await findings("class A { \(member.replacing("BODY", with: body)) }")
    #expect(Set(Baseline(found).entries.map(\.in)) == [name], "\(member)")
  }

  @Test func `of properties with one body the new one is told`() async {
    func property(_ name: String) -> String {
      "  var \(name): Int {\n    do { return try x() } catch { return 0 }\n  }\n"
    }
    let known = property("one") + property("two")
    let baseline = Baseline(await findings("struct A {\n\(known)}\n"))
    let (new, unmet) = baseline.apply(
      to: await findings("struct A {\n\(property("zero"))\(known)}\n"))
    #expect(unmet.isEmpty && Set(new.map(\.line)) == [3])
  }

  @Test func `an entry that no longer occurs is told at its line`() async throws {
    let baseline = try Baseline(text: Baseline(await findings(Self.two)).text)
    let entry = try #require(baseline.entries.last)
    let finding = baseline.staleness(of: entry, path: "base.json")
    #expect(finding.rule == "MS004" && finding.path == "base.json" && finding.line == 3)
    #expect(finding.message == "MS201 in `f` of a.swift no longer occurs")
  }

  @Test(arguments: [
    ("", "it is no baseline"), ("{}", "it has no `version`"),
    (#"{"version": 7, "findings": []}"#, "it has version 7, and this program knows 1"),
    (#"{"version": 1, "findings": [{"path": "a"}]}"#, "its entry 1 has no `rule`"),
    ("<<<<<<< HEAD\n{}", "a merge left its marks at line 1"),
  ])
  func `what is no baseline is told`(text: String, reason: String) {
    #expect(throws: BaselineError(reason: reason)) { try Baseline(text: text) }
  }
}
