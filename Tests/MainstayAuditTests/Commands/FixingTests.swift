// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let textless = """
  import Foundation
  enum PayError: Error { case declined; var localizedDescription: String { "Declined." } }

  """
private let texts = """
  extension PayError { var failureReason: String? { "The bank said no." } }
  extension PayError { var recoverySuggestion: String? { "Use another card." } }

  """

extension ProgramTests {
  /// What is mended, and what is left alone.
  @Suite struct FixingTests {
    @Test func `fixes are written, told and not needed again`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      try folder.link("b.swift", to: "a.swift")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o640], ofItemAtPath: folder.file("a.swift"))
      let end = try await AuditProgram.run(["--fix"], in: folder)
      #expect(end.status == 0, "\(end)")
      #expect(
        end.errors == """
          mainstay-audit: a.swift:4: MS201 mended: log the error
          mainstay-audit: 1 finding mended in 1 file.

          """)
      #expect(try folder.text("a.swift") == Sample.mended)
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file("a.swift"))[
        .posixPermissions]
      #expect(mode as? Int == 0o640)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
      let again = try await AuditProgram.run(["--fix"], in: folder)
      #expect(again.status == 0, "\(again)")
      #expect(try folder.text("a.swift") == Sample.mended)
    }

    @Test func `a difference can be applied, and nothing is written`() async throws {
      let folder = try Folder()
      let odd = "Sources/odd \"é\n.swift"
      try folder.write("Sources/a.swift", Sample.bad)
      try folder.write(odd, Sample.bad)
      let end = try await AuditProgram.run(["--diff"], in: folder)
      #expect(end.status == 1)
      #expect(end.errors == "mainstay-audit: 2 of 2 findings would be mended.\n")
      #expect(try folder.text("Sources/a.swift") == Sample.bad)
      try folder.write("x.patch", end.output)
      let applied = try await AuditProgram.run("git", ["apply", "x.patch"], in: folder)
      #expect(applied.status == 0, "\(applied)")
      #expect(try folder.text("Sources/a.swift") == Sample.mended)
      #expect(try folder.text(odd) == Sample.mended)
    }

    @Test func `a file that does not parse is left alone`() async throws {
      let folder = try Folder()
      let broken = Sample.bad + "func f( {\n"
      try folder.write("a.swift", broken)
      try folder.write("b.swift", Sample.bad)
      let end = try await AuditProgram.run(["--fix", "--quiet"], in: folder)
      #expect(
        end.errors
          == "mainstay-audit: a.swift: it does not parse, so nothing in it is mended\n")
      #expect(try folder.text("a.swift") == broken)
      #expect(try folder.text("b.swift") == Sample.mended)
    }

    @Test func `code for later compilers keeps nothing else from being mended`() async throws {
      let folder = try Folder()
      let later = "#if compiler(>=6.4)\nstruct Box {\n  let = 1\n}\n#endif\n"
      try folder.write("a.swift", Sample.bad + later)
      let end = try await AuditProgram.run(["--fix", "--quiet"], in: folder)
      #expect(end.errors == "", "\(end)")
      #expect(try folder.text("a.swift") == Sample.mended + later)
    }

    @Test func `what stands as deep as a button in a view is mended`() async throws {
      let open = (0..<20).map { String(repeating: "  ", count: $0) + "if a\($0) {\n" }.joined()
      let close = String(repeating: "}\n", count: 20)
      let deep = "struct Store {\n  let log: Logger\n  func save() {\n\(open)"
      let end = "\(close)  }\n}\n"
      let folder = try Folder()
      try folder.write("a.swift", deep + "do { try write() } catch {}\n" + end)
      try folder.write(
        "a.md", "```swift\n" + deep + "do { try write() } catch {}\n" + end + "```\n")
      let run = try await AuditProgram.run(["--fix", "--quiet", "--markdown"], in: folder)
      #expect(run.errors == "", "\(run)")
      let mended = deep + "do { try write() } catch { log.error(\"\\(error)\") }\n" + end
      #expect(try folder.text("a.swift") == mended)
      #expect(try folder.text("a.md") == "```swift\n" + mended + "```\n")
    }

    // MARK: What a type can have but once

    private func count(_ word: String, in folder: Folder) throws -> Int {
      try ["a.swift", "b.swift"].filter { FileManager.default.fileExists(atPath: folder.file($0)) }
        .reduce(0) { $0 + (try folder.text($1)).ranges(of: word).count }
    }

    @Test(arguments: [
      ["a.swift": textless + texts],
      ["a.swift": textless, "b.swift": "import Foundation\n" + texts],
      ["a.swift": "import Foundation\n" + texts, "b.swift": textless],
    ])
    func `a type becomes a LocalizedError once, in however many parts and files it is`(
      files: [String: String]
    ) async throws {
      let folder = try Folder()
      for (name, text) in files { try folder.write(name, text) }
      let end = try await AuditProgram.run(["--fix"], in: folder)
      #expect(end.status == 0, "\(end)")
      #expect(try count("LocalizedError", in: folder) == 1, "\(end)")
      #expect(try count("errorDescription: String?", in: folder) == 1, "\(end)")
      #expect(try count("localizedDescription", in: folder) == 0, "\(end)")
    }

    @Test func `a file whose fix waits for that of another is mended after it`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", textless)
      try folder.write(
        "b.swift", "import Foundation\nextension PayError { var failureReason: String { \"\" } }\n")
      let end = try await AuditProgram.run(["--fix"], in: folder)
      #expect(end.status == 0, "\(end)")
      #expect(try count("LocalizedError", in: folder) == 1, "\(end)")
      #expect(try count("failureReason: String?", in: folder) == 1, "\(end)")
    }

    @Test func `fixes of two rules give a type one text`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", textless)
      let end = try await AuditProgram.run(
        ["--fix", "--unsafe", "--profile", "strict"], in: folder)
      #expect(try count("LocalizedError", in: folder) == 1, "\(end)")
      #expect(try count("errorDescription: String?", in: folder) == 1, "\(end)")
    }

    @Test func `code in pages is mended in place`() async throws {
      let folder = try Folder()
      try folder.write("Guide.md", "# Saving…\n\n```swift\n\(Sample.bad)```\n\nDone.\n")
      let end = try await AuditProgram.run(["--fix", "--markdown"], in: folder)
      #expect(end.status == 0, "\(end)")
      #expect(
        try folder.text("Guide.md") == "# Saving…\n\n```swift\n\(Sample.mended)```\n\nDone.\n")
    }
  }
}
