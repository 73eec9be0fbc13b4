// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Comments that say which findings are meant.
@Suite struct SuppressionTests {
  @Test(arguments: [
    "do { try f() } catch {} // mainstay:ignore MS201 -- it may be gone",
    "do { try f() } catch {} /* mainstay:ignore MS201 -- it may be gone */",
    "do { try f() } catch {} //mainstay:ignore MS201 --it may be gone",
    "do { try f() } catch {} // mainstay:ignore: MS201 -- it may be gone",
    "// mainstay:ignore MS201 -- it may be gone\ndo { try f() } catch {}",
    "/* mainstay:ignore MS201 -- it may be gone */\ndo { try f() } catch {}",
    "/* mainstay:ignore MS201\n   -- it may be gone */\ndo { try f() } catch {}",
    "// mainstay:ignore MS201 -- it may be gone\n\n// Another.\ndo { try f() } catch {}",
    "// mainstay:ignore MS201 -- it may be gone\r\ndo { try f() } catch {}\r\n",
    "// mainstay:ignore-file MS201 -- generated long ago\nlet a = 1\ndo { try f() } catch {}",
    "do { try f() } catch {}\n// mainstay:ignore-file MS201 -- generated long ago",
    "do { try f() } catch {} // mainstay:ignore empty-catch -- it may be gone",
    "// mainstay:ignore: empty-catch -- it may be gone\ndo { try f() } catch {}",
    "// mainstay:ignore-file empty-catch -- generated long ago\ndo { try f() } catch {}",
  ])
  func `a comment with a rule and a reason silences its line or the next`(code: String) async {
    #expect(await ids(code) == [])
  }

  @Test(arguments: [
    "do {\n  try f()\n  // mainstay:ignore MS201 -- gone\n} catch {}",
    "do {\n  try f()\n} catch { // mainstay:ignore MS201 -- gone\n}",
    "do {\n  try f()\n} catch {\n  // mainstay:ignore MS201 -- gone\n}",
    "do { try f() }\n// mainstay:ignore MS201 -- gone\ncatch {\n}",
  ])
  func `a comment may stand anywhere at the clause`(code: String) async {
    #expect(await ids(code) == [])
  }

  @Test(arguments: [
    ("MS202", "do { try f() } catch {\n%\n  count += 1\n}"),
    ("MS202", "do {\n  try f()\n}\ncatch {\n%\n  // And so on.\n  count += 1\n  next()\n}"),
    ("MS206", "Task {\n%\n  try await send()\n}"),
    ("MS206", "Task.detached(priority: .low) {\n%\n  try await send()\n  next()\n}"),
    ("MS209", "load { data, error in\n%\n  show(data)\n}"),
    ("MS208", "switch r {\ncase .success(let a): use(a)\ncase .failure:\n%\n  break\n}"),
    ("MS201", "do { try f() } catch {\n%\n  do { try g() } catch {}\n  show(error)\n}"),
  ])
  func `a comment before the first statement is about what opens the block, too`(
    rule: String, code: String
  ) async {
    let silenced = await ids(code.replacing("%", with: "  // mainstay:ignore \(rule) -- meant"))
    #expect(!silenced.contains(rule) && !silenced.contains("MS001"), "\(silenced)")
    guard !["MS201", "MS208"].contains(rule) else { return }
    let second = code.replacing("%", with: "  next()\n  // mainstay:ignore \(rule) -- meant")
    let found = await ids(second)
    #expect(found.contains(rule) && found.contains("MS001"), "\(found)")
  }

  @Test(arguments: [
    "// mainstay:ignore MS101 -- old\nthrow NSError(\n  domain: \"A\",\n  code: 1)",
    "throw NSError(\n  domain: \"A\",\n  code: 1) // mainstay:ignore MS101 -- old",
    "throw NSError( // mainstay:ignore MS101 -- old\n  domain: \"A\",\n  code: 1)",
    """
    // mainstay:ignore MS101 -- old
    let a = b ??
      f(resume(throwing: NSError(domain: "A", code: 1)))
    """,
  ])
  func `a comment is about the whole of a statement without a block`(code: String) async {
    #expect(await ids(code) == [])
  }

  @Test(arguments: [
    "// mainstay:ignore MS201 -- gone\ndo {\n  try f()\n} catch {}",
    "// mainstay:ignore MS201 -- gone\nfunc g() {\n  do { try f() } catch {}\n}",
    "do { try f() } catch {}\n// mainstay:ignore MS201 -- gone\nlet a = 1",
    "let a = 1 // mainstay:ignore MS201 -- gone\ndo { try f() } catch {}",
  ])
  func `a comment elsewhere silences nothing and says so`(code: String) async {
    #expect(await ids(code) == ["MS001", "MS201"])
  }

  @Test(arguments: [
    """
    perform(
      first: {
        do { try f() } catch {}
      },
      second: {
        // mainstay:ignore MS201 -- best effort
        do { try g() } catch {}
      })
    """,
    """
    Button {
      do { try f() } catch {}
    } label: {
      // mainstay:ignore MS201 -- best effort
      do { try g() } catch {}
    }
    """,
  ])
  func `a comment in a closure is not about the closures before it`(code: String) async {
    #expect(await ids(code) == ["MS201"])
  }

  @Test(arguments: [
    ("// mainstay:ignore MS201", ["MS002", "MS201"]),
    ("// mainstay:ignore MS201 --", ["MS002", "MS201"]),
    ("/* mainstay:ignore MS201 -- */", ["MS002", "MS201"]),
    ("// mainstay:ignore MS201 -- 123", ["MS002", "MS201"]),
    ("// mainstay:ignore MS201 it may be gone", ["MS002", "MS201"]),
    ("// mainstay:ignore MS999 -- it may be gone", ["MS002", "MS201"]),
    ("// mainstay:ignore empty-catch", ["MS002", "MS201"]),
    ("// mainstay:ignore empty-cach -- it may be gone", ["MS002", "MS201"]),
    ("// mainstay:ignore unused-ignore -- it may be gone", ["MS002", "MS201"]),
    ("// mainstay:ignore empty-catch, force-try -- it may be gone", ["MS001"]),
    ("// mainstay:ignore empty-catch, MS201 -- it may be gone", []),
    ("// mainstay:ignore ms201 -- it may be gone", ["MS002", "MS201"]),
    ("// mainstay:ignore-next-line MS201 -- it may be gone", ["MS002"]),
    ("// mainstay:ignore MS201, MS999 -- it may be gone", ["MS002"]),
    ("// mainstay:ignore -- it may be gone", ["MS003", "MS201"]),
    ("// mainstay:ignore", ["MS003", "MS201"]),
    ("// mainstay:ignore-file -- all of it", ["MS003", "MS201"]),
    ("// mainstay:ignore MS203 -- it may be gone", ["MS201"]),
    ("// mainstay:ignore MS101 -- it may be gone", ["MS001", "MS201"]),
    ("// mainstay:ignore MS201, MS101 -- it may be gone", ["MS001"]),
    ("// mainstay:ignore MS201 MS201 -- it may be gone", []),
  ])
  func `a comment that says too little is a finding itself`(comment: String, expected: [String])
    async
  {
    let known = Rule.all.contains { $0.id == "MS203" }
    let found = await ids(comment + "\ndo { try f() } catch {}")
    if comment.contains("MS203") {
      #expect(found == (known ? ["MS001", "MS201"] : ["MS002", "MS201"]))
    } else {
      #expect(found == expected)
    }
  }

  @Test(arguments: [
    "/// mainstay:ignore MS201 -- documentation quotes it",
    "// Write mainstay:ignore MS201 -- and a reason.",
    "let text = \"// mainstay:ignore MS201 -- no comment\"",
    "// mainstay:ignored MS201 -- prose", "// mainstay: ignore MS201 -- prose",
    "// ignore MS201 -- prose",
  ])
  func `prose that quotes a comment is none`(line: String) async {
    #expect(await ids(line + "\ndo { try f() } catch {}") == ["MS201"])
  }

  @Test func `a reason is not asked for where the configuration says so`() async {
    var configuration = AuditConfiguration()
    configuration.requiresReasons = false
    let code = "// mainstay:ignore MS201\ndo { try f() } catch {}"
    #expect(await ids(code, configuration) == [])
  }

  @Test func `a comment about a rule that is off is not unused`() async {
    var configuration = AuditConfiguration()
    configuration.disabled = ["MS201"]
    let code = "// mainstay:ignore MS201 -- gone\ndo { try f() } catch {}"
    #expect(await ids(code, configuration) == [])
  }

  @Test func `two rules on one line take one comment or two`() async {
    let code = "do { try f() } catch {}; throw NSError()"
    #expect(await ids(code) == ["MS101", "MS201"])
    #expect(await ids("// mainstay:ignore MS101, MS201 -- both\n" + code) == [])
    #expect(
      await ids("// mainstay:ignore MS101 -- one\n// mainstay:ignore MS201 -- two\n" + code) == [])
    #expect(await ids(code + " // mainstay:ignore MS101 -- one") == ["MS201"])
  }

  @Test func `one comment silences all of a rule on its line`() async {
    let line = "do { try f() } catch {}; do { try g() } catch {}"
    #expect(await ids(line) == ["MS201", "MS201"])
    #expect(await ids(line + " // mainstay:ignore MS201 -- both") == [])
  }

  @Test(arguments: [
    ("// swiftlint:disable:next empty_catch\n%", []),
    ("% // swiftlint:disable:this empty_catch", []),
    ("%\n// swiftlint:disable:previous empty_catch", []),
    ("// swiftlint:disable empty_catch\nlet a = 1\n%", []),
    ("// swiftlint:disable force_cast empty_catch - old\n%", []),
    ("// swiftlint:disable all\n%", []),
    ("// swiftlint:disable empty_catch\n// swiftlint:enable empty_catch\n%", ["MS201"]),
    ("// swiftlint:disable empty_catch\n%\n// swiftlint:enable empty_catch", []),
    ("// swiftlint:disable empty_catch\n// swiftlint:enable force_try\n%", []),
    ("// swiftlint:disable all\n// swiftlint:enable all\n%", ["MS201"]),
    ("// swiftlint:disable all\n// swiftlint:enable force_try\n%", []),
    ("// swiftlint:disable:next line_length\n%", ["MS201"]),
    ("// swiftlint:disable:next empty_catch\nlet a = 1\n%", ["MS201"]),
    ("%\n// swiftlint:disable empty_catch", ["MS201"]),
  ])
  func `comments for SwiftLint count where it finds the same`(code: String, expected: [String])
    async
  {
    #expect(await ids(code.replacing("%", with: "do { try f() } catch {}")) == expected)
  }

  @Test func `a comment beside one for SwiftLint is not unused`() async {
    let code = """
      // swiftlint:disable empty_catch
      // mainstay:ignore MS201 -- gone
      do { try f() } catch {}
      """
    #expect(await ids(code) == [])
  }

  @Test func `findings of the whole project are silenced where they stand`() async {
    var configuration = AuditConfiguration()
    configuration.profile = .strict
    let code = "// mainstay:ignore MS102 -- shown nowhere\nenum E: Error { case a }"
    #expect(await ids(code, configuration) == [])
    #expect(await ids("enum E: Error { case a }", configuration) == ["MS102"])
  }

  @Test func `a complaint stands at its comment`() async throws {
    let findings = await audit("let a = 1\nlet b = 2  // mainstay:ignore MS201 -- gone").findings
    let finding = try #require(findings.first)
    #expect((finding.rule, finding.line, finding.column) == ("MS001", 2, 12))
    #expect(finding.source == "let b = 2  // mainstay:ignore MS201 -- gone")
  }

  @Test(arguments: [
    ("empty-cach", "There is no rule `empty-cach`; did you mean `empty-catch`?"),
    ("MS2O1", "There is no rule `MS2O1`; did you mean `MS201`?"),
  ])
  func `a comment with a mistyped rule is told which one it may mean`(
    typed: String, message: String
  ) async {
    let findings = await audit("let a = 1  // mainstay:ignore \(typed) -- gone").findings
    #expect(findings.map(\.message) == [message])
  }

  private func audit(_ code: String, _ configuration: AuditConfiguration = AuditConfiguration())
    async -> AuditReport
  {
    await Audit(configuration).run([AuditSource(path: "Sources/App/Code.swift", text: code)])
  }

  private func ids(_ code: String, _ configuration: AuditConfiguration = AuditConfiguration())
    async -> [String]
  {
    await audit(code, configuration).findings.map(\.rule).sorted()
  }
}
