// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension ProgramTests {
  /// What is told of a clause of which a line changed.
  @Suite struct ChangedClauseTests {
    private static let text = """
      func load() -> [Item] {
        prepare()
        do {
          return try read()
        } catch {
          isLoading = false
          // Nothing is done here: the next start reads it again.
          return []
        }
      }

      func save() {
        do { try write() } catch {
          isSaving = false
        }
      }

      """

    private func repository() async throws -> Folder {
      let folder = try Folder()
      try folder.write("a.swift", Self.text)
      for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      return folder
    }

    private func told(_ text: String, in folder: Folder) async throws -> [String] {
      try folder.write("a.swift", text)
      let end = try await AuditProgram.run(
        ["--changed-since", "HEAD", "--format", "xcode"], in: folder)
      return end.output.split(separator: "\n").filter { $0.contains("MS202") }.compactMap { line in
        line.firstRange(of: "a.swift:").map { String(line[$0.upperBound...].prefix { $0 != ":" }) }
      }
    }

    @Test(arguments: [
      ("isSaving = false", "isWriting = false"),
      ("isSaving = false", "isSaving = false\n    count += 1"),
      ("    isSaving = false\n", "    again()\n    again()\n"),
      ("prepare()", "prepare()\n  prepare()\n  prepare()"), ("  prepare()\n", ""),
    ])
    func `what a clause lacked before is not told for another change`(
      old: String, new: String
    ) async throws {
      let folder = try await repository()
      let changed = Self.text.replacing(old, with: new)
      #expect(changed != Self.text)
      #expect(try await told(changed, in: folder) == [])
    }

    @Test func `what a clause lacks since the change is told`() async throws {
      let folder = try await repository()
      let reason = "    // Nothing is done here: the next start reads it again.\n"
      #expect(try await told(Self.text.replacing(reason, with: ""), in: folder) == ["5"])
      let moved = "// New.\n" + Self.text.replacing(reason, with: "")
      #expect(try await told(moved, in: folder) == ["6"])
      let line = Self.text.replacing("try write() } catch {", with: "try writeAll() } catch {")
      #expect(try await told(line, in: folder) == ["13"])
    }

    @Test func `what was a note and is a warning now is told`() async throws {
      let folder = try Folder()
      let text = "func f() {\n  do { try a() } catch {\n    hasError = true\n    b()\n  }\n}\n"
      try folder.write("a.swift", text)
      for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]] {
        _ = try await AuditProgram.run("git", arguments, in: folder)
      }
      #expect(try await told(text.replacing("b()", with: "c()"), in: folder) == [])
      #expect(try await told(text.replacing("hasError", with: "isOpen"), in: folder) == ["2"])
    }

    @Test func `a fix on other lines makes no old finding new`() async throws {
      let folder = try await repository()
      let changed =
        "let log = Logger(label: \"a\")\nfunc g() { f(); try? keep() }\n"
        + Self.text.replacing("isSaving = false", with: "isSaving = false; count += 1")
      try folder.write("a.swift", changed)
      let end = try await AuditProgram.run(["--fix", "--changed-since", "HEAD"], in: folder)
      #expect(end.status == 0, "\(end)")
      #expect(
        try folder.text("a.swift")
          == changed.replacing(
            "try? keep()", with: "do { try keep() } catch { log.error(\"\\(error)\") }"))
    }
  }
}
