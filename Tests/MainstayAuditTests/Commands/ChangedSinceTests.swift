// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension ProgramTests {
  /// What is told and mended where only changed lines matter.
  @Suite struct ChangedSinceTests {
    private func repository() async throws -> Folder {
      let folder = try Folder()
      try folder.write("Sources/a.swift", Sample.bad + Sample.bad)
      try folder.write("Sources/b.swift", Sample.bad)
      try folder.write("odd \"é\u{9}.swift", Sample.good)
      for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      return folder
    }

    /// Lines that differ from all others, so that it is plain which ones are new.
    private func renamed(_ text: String) -> String {
      text.replacing("Store", with: "Last").replacing("save", with: "keep")
        .replacing("write", with: "store").replacing("  let log", with: "  private let log")
    }

    private func places(_ end: AuditProgram.End) -> [String] {
      end.output.split(separator: "\n").compactMap { line in
        guard let end = line.firstRange(of: ": error:") else { return nil }
        return String(
          line[..<end.lowerBound].split(separator: "/").suffix(2).joined(separator: "/"))
      }
    }

    @Test func `only what is on changed lines is told`() async throws {
      let folder = try await repository()
      let arguments = ["--changed-since", "HEAD", "--format", "xcode"]
      let none = try await AuditProgram.run(arguments, in: folder)
      #expect(none.status == 0, "\(none)")
      #expect(none.errors == "mainstay-audit: No Swift file differs.\n")
      let text = try folder.text("Sources/a.swift")
      try folder.write("Sources/a.swift", "// New.\n" + text + renamed(Sample.bad))
      try folder.write("Sources/new.swift", Sample.bad)
      try folder.write("odd \"é\u{9}.swift", Sample.bad)
      try folder.write(".gitignore", "ignored.swift\n")
      try folder.write("ignored.swift", Sample.bad)
      let end = try await AuditProgram.run(arguments, in: folder)
      #expect(end.status == 1, "\(end)")
      #expect(
        places(end).prefix(2) == ["Sources/a.swift:17:24", "Sources/new.swift:4:24"], "\(end)")
      #expect(places(end).count == 3, "\(end)")
      let below = try await AuditProgram.run(arguments, in: folder, below: "Sources")
      #expect(places(below).count == 2, "\(below)")
    }

    @Test func `warnings of git about the line ends of each file hold nothing up`() async throws {
      let folder = try await repository()
      let names = (0..<1_500).map { "Sources/\(String(repeating: "long", count: 15))\($0).swift" }
      for name in names { try folder.write(name, "let a = 1\n") }
      for arguments in [
        ["add", "-A"], ["commit", "-qm", "more"], ["config", "core.autocrlf", "true"],
      ] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      for name in names { try folder.write(name, Sample.good) }
      try folder.write("Sources/b.swift", renamed(Sample.bad))
      let end = try await AuditProgram.run(
        ["--changed-since", "HEAD", "--format", "xcode"], in: folder)
      #expect(end.status == 1 && places(end) == ["Sources/b.swift:4:24"], "\(end)")
    }

    @Test func `before the first commit every line is changed`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      try folder.write("b.swift", Sample.bad)
      for arguments in [["init", "-q"], ["add", "a.swift"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      let arguments = ["--changed-since", "HEAD", "--format", "xcode"]
      let end = try await AuditProgram.run(arguments, in: folder)
      #expect(end.status == 1 && places(end).count == 2, "\(end)")
      let other = try await AuditProgram.run(["--changed-since", "main"], in: folder)
      #expect(other.status == 3 && other.errors.contains("There is no revision `main`"), "\(other)")
    }

    @Test func `fixes are made on changed lines alone`() async throws {
      let folder = try await repository()
      let text = try folder.text("Sources/a.swift")
      try folder.write("Sources/a.swift", "// New.\n" + text + renamed(Sample.bad))
      let end = try await AuditProgram.run(["--fix", "--changed-since", "HEAD"], in: folder)
      #expect(end.status == 0, "\(end)")
      #expect(try folder.text("Sources/a.swift") == "// New.\n" + text + renamed(Sample.mended))
    }

    @Test func `where git cannot tell, the reason is told`() async throws {
      let folder = try await repository()
      let revision = try await AuditProgram.run(["--changed-since", "none"], in: folder)
      #expect(revision.status == 3)
      #expect(
        revision.errors == "mainstay-audit: There is no revision `none` in \(folder.path).\n")
      let loose = try Folder()
      try loose.write("a.swift", Sample.good)
      let outside = try await AuditProgram.run(["--changed-since", "HEAD"], in: loose)
      #expect(outside.status == 3)
      #expect(
        outside.errors
          == "mainstay-audit: There is no repository of git around \(loose.path).\n")
      let missing = try await AuditProgram.run(
        ["--changed-since", "HEAD"], in: folder, environment: ["PATH": folder.path])
      #expect(missing.status == 3)
      #expect(missing.errors.contains("there is no program git in PATH"), "\(missing)")
    }

    @Test func `a defect above the same one that a baseline knows is told`() async throws {
      let folder = try await repository()
      let line = "    do { try write() } catch {}\n"
      let old = Sample.bad.replacing(line, with: "    prepare()\n" + line)
      try folder.write("Sources/c.swift", old)
      for arguments in [["add", "-A"], ["commit", "-qm", "more"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      _ = try await AuditProgram.run(["--write-baseline", "base.json"], in: folder)
      try folder.write(
        "Sources/c.swift", old.replacing("    prepare()\n", with: line + "    prepare()\n"))
      let end = try await AuditProgram.run(
        ["--baseline", "base.json", "--changed-since", "HEAD", "--format", "xcode"], in: folder)
      #expect(end.status == 1 && places(end) == ["Sources/c.swift:4:24"], "\(end)")
    }

    @Test func `a file that was moved has no changed lines but those that differ`() async throws {
      let folder = try await repository()
      let move = try await AuditProgram.run(
        "git", ["mv", "Sources/a.swift", "Sources/moved.swift"], in: folder)
      #expect(move.status == 0, "\(move)")
      let arguments = ["--changed-since", "HEAD", "--format", "xcode"]
      let none = try await AuditProgram.run(arguments, in: folder)
      #expect(none.status == 0 && places(none) == [], "\(none)")
      let text = try folder.text("Sources/moved.swift")
      try folder.write("Sources/moved.swift", text + renamed(Sample.bad))
      let end = try await AuditProgram.run(arguments, in: folder)
      #expect(places(end) == ["Sources/moved.swift:16:24"], "\(end)")
    }

    @Test func `a defect that is made by deleting a line is told`() async throws {
      let folder = try Folder()
      let text = """
        @MainActor final class NotesModel: ObservableObject {
          func load() {
            prepare()
            isLoading = true
            do {
              try open()
              isLoading = false
            } catch {
              log.error("\\(error)")
              isLoading = false
            }
          }
        }

        """
      try folder.write("a.swift", text)
      for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      let arguments = ["--changed-since", "HEAD", "--format", "json"]
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      func rules(without line: String) async throws -> [String] {
        let place = try #require(lines.lastIndex { $0.hasSuffix(line) })
        let left = lines.enumerated().filter { $0.offset != place }.map(\.element)
        try folder.write("a.swift", left.joined(separator: "\n"))
        let end = try await AuditProgram.run(arguments, in: folder)
        return ["MS202", "MS407"].filter { end.output.contains($0) }
      }
      #expect(try await rules(without: "log.error(\"\\(error)\")") == ["MS202"])
      #expect(try await rules(without: "isLoading = false") == ["MS407"])
      #expect(try await rules(without: "prepare()").isEmpty)
    }

    @Test func `an old defect is not told, nor mended, for another line of its clause`()
      async throws
    {
      let folder = try Folder()
      let text = """
        func load() throws {
          do {
            try open()
          } catch {
            log.error("a \\(error)")
            try! undo()
            throw error
          }
        }

        """
      try folder.write("a.swift", text)
      for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      let all = try await AuditProgram.run(["--format", "json"], in: folder)
      #expect(all.output.contains("MS601"), "\(all)")
      let changed = text.replacing("\"a ", with: "\"b ")
      #expect(changed != text)
      try folder.write("a.swift", changed)
      let arguments = ["--changed-since", "HEAD", "--format", "json"]
      let told = try await AuditProgram.run(arguments, in: folder)
      #expect(!told.output.contains("MS601"), "\(told)")
      _ = try await AuditProgram.run(["--fix", "--changed-since", "HEAD"], in: folder)
      #expect(try folder.text("a.swift") == changed)
      try folder.write("a.swift", text.replacing("undo()", with: "undoAll()"))
      let other = try await AuditProgram.run(arguments, in: folder)
      #expect(other.output.contains("MS601"), "\(other)")
    }

    @Test func `a defect that was there is not told for a line that was deleted elsewhere`()
      async throws
    {
      let folder = try await repository()
      let text = try folder.text("Sources/a.swift")
      try folder.write("Sources/a.swift", text.replacing("  let log: Logger\n", with: ""))
      let end = try await AuditProgram.run(
        ["--changed-since", "HEAD", "--format", "xcode"], in: folder)
      #expect(end.status == 0 && places(end) == [], "\(end)")
    }

    @Test func `what others have done since on the branch that this one left is not told`()
      async throws
    {
      let folder = try await repository()
      func git(_ arguments: String...) async throws {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(arguments): \(end)")
      }
      let text = try folder.text("Sources/a.swift")
      try await git("branch", "-M", "main")
      try await git("switch", "-qc", "own")
      try folder.write("Sources/b.swift", renamed(Sample.bad))
      try await git("commit", "-qam", "own")
      try await git("switch", "-q", "main")
      try folder.write("Sources/a.swift", Sample.mended + Sample.mended)
      try await git("commit", "-qam", "mended")
      try await git("switch", "-q", "own")
      #expect(try folder.text("Sources/a.swift") == text)
      let end = try await AuditProgram.run(
        ["--changed-since", "main", "--format", "xcode"], in: folder)
      #expect(end.status == 1 && places(end) == ["Sources/b.swift:4:24"], "\(end)")
      try await git("checkout", "-q", "--orphan", "alone")
      try await git("commit", "-qm", "alone")
      let alone = try await AuditProgram.run(
        ["--changed-since", "main", "--format", "xcode"], in: folder)
      #expect(places(alone).contains("Sources/b.swift:4:24"), "\(alone)")
    }

    @Test func `services get paths from the top of the repository`() async throws {
      let folder = try await repository()
      for (format, path) in [
        ("github", "file=Sources/b.swift,"), ("sarif", "\"uri\": \"Sources/b.swift\""),
      ] {
        for below in ["", "Sources"] {
          let end = try await AuditProgram.run(["--format", format], in: folder, below: below)
          #expect(end.output.contains(path), "\(format) in \(below): \(end)")
        }
      }
      let text = try await AuditProgram.run(["--format", "xcode"], in: folder, below: "Sources")
      #expect(text.output.contains("/Sources/b.swift:4:24"), "\(text)")
    }

    // MARK: Whatever is set in git

    @Test func `settings that print lines around changes hide no file`() async throws {
      let folder = try await repository()
      let end = try await AuditProgram.run(
        "git", ["config", "diff.interHunkContext", "20"], in: folder)
      #expect(end.status == 0, "\(end)")
      let text = try folder.text("Sources/a.swift")
      try folder.write("Sources/a.swift", "// New.\n" + text + "// New.\n")
      try folder.write("Sources/b.swift", renamed(Sample.bad))
      let found = try await AuditProgram.run(
        ["--changed-since", "HEAD", "--format", "xcode"], in: folder,
        environment: ["GIT_DIFF_OPTS": "-u5", "GIT_LITERAL_PATHSPECS": "1"])
      #expect(places(found) == ["Sources/b.swift:4:24"], "\(found)")
    }

    @Test func `sources that attributes call binary have changed lines`() async throws {
      let folder = try await repository()
      try folder.write(".gitattributes", "*.swift -diff\n")
      try folder.write("Sources/b.swift", renamed(Sample.bad))
      let end = try await AuditProgram.run(
        ["--changed-since", "HEAD", "--format", "xcode"], in: folder)
      #expect(places(end) == ["Sources/b.swift:4:24"], "\(end)")
    }

    @Test func `each source is asked of the repository that it lies in`() async throws {
      let other = try await repository()
      try other.write("Sources/b.swift", renamed(Sample.bad))
      let arguments = ["--changed-since", "HEAD", "--format", "xcode"]
      let folder = try await repository()
      let elsewhere = try await AuditProgram.run(arguments + [other.path], in: folder)
      #expect(places(elsewhere) == ["Sources/b.swift:4:24"], "\(elsewhere)")
      try folder.link("link", to: other.path)
      let linked = try await AuditProgram.run(arguments + ["link"], in: folder)
      #expect(places(linked) == ["Sources/b.swift:4:24"], "\(linked)")
      let loose = try Folder()
      try loose.write("a.swift", Sample.bad)
      let outside = try await AuditProgram.run(arguments + [loose.path], in: folder)
      #expect(outside.status == 3)
      #expect(
        outside.errors
          == "mainstay-audit: There is no repository of git around \(loose.path).\n")
    }

    @Test func `a submodule is compared with the commit that it had`() async throws {
      let part = try await repository()
      let folder = try await repository()
      let add = [
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", part.path, "Part",
      ]
      for arguments in [add, ["commit", "-qam", "part"], ["tag", "before"]] {
        let end = try await AuditProgram.run("git", arguments, in: folder)
        #expect(end.status == 0, "\(end)")
      }
      let arguments = ["--changed-since", "before", "--format", "xcode"]
      let none = try await AuditProgram.run(arguments, in: folder)
      #expect(none.status == 0, "\(none)")
      try folder.write("Part/Sources/b.swift", renamed(Sample.bad))
      let commit = try await AuditProgram.run(
        "git", ["-C", "Part", "commit", "-qam", "later"], in: folder)
      #expect(commit.status == 0, "\(commit)")
      let end = try await AuditProgram.run(arguments, in: folder)
      #expect(places(end) == ["Sources/b.swift:4:24"], "\(end)")
    }
  }
}
