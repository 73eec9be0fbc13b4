// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension ProgramTests {
  /// Baselines and changed lines.
  @Suite struct ScopeTests {
    @Test func `a baseline hides what it knows and tells what is new`() async throws {
      let folder = try Folder()
      try folder.write("Sources/a.swift", Sample.bad)
      let missing = try await AuditProgram.run(["--baseline", "base.json"], in: folder)
      #expect(missing.status == 3 && missing.errors.contains("--write-baseline makes one"))
      let written = try await AuditProgram.run(["--write-baseline", "base.json"], in: folder)
      #expect(written.status == 0, "\(written)")
      #expect(written.errors == "mainstay-audit: base.json knows of 1 finding.\n")
      try folder.write("Sources/a.swift", "// Moved.\n\n" + Sample.bad)
      let known = try await AuditProgram.run(["--baseline", "base.json"], in: folder)
      #expect(known.status == 0, "\(known)")
      let below = try await AuditProgram.run(
        ["--baseline", "../base.json"], in: folder, below: "Sources")
      #expect(below.status == 0, "\(below)")
      try folder.write("Sources/b.swift", Sample.bad)
      let new = try await AuditProgram.run(
        ["--baseline", "base.json", "--format", "xcode"], in: folder)
      #expect(new.status == 1 && new.output.contains("b.swift") && !new.output.contains("a.swift"))
    }

    @Test func `entries that no longer occur are findings where that is asked for`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      try folder.write("b.swift", Sample.bad)
      _ = try await AuditProgram.run(["--write-baseline", "base.json"], in: folder)
      try folder.write("a.swift", Sample.good)
      let arguments = ["--baseline", "base.json", "--format", "xcode"]
      let lax = try await AuditProgram.run(arguments, in: folder)
      #expect(lax.status == 0, "\(lax)")
      let strict = try await AuditProgram.run(arguments + ["--strict-baseline"], in: folder)
      #expect(strict.status == 1 && strict.output.contains("base.json:2:1: warning:"), "\(strict)")
      #expect(strict.output.contains("MS004") && strict.output.contains("a.swift"))
      // What was not looked at may still be there.
      let part = try await AuditProgram.run(
        arguments + ["--strict-baseline", "b.swift"], in: folder)
      #expect(part.status == 0, "\(part)")
      let off = try await AuditProgram.run(
        arguments + ["--strict-baseline", "--disable", "MS201"], in: folder)
      #expect(off.status == 0, "\(off)")
    }

    @Test func `a baseline is written over nothing else`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      let end = try await AuditProgram.run(["--write-baseline", "a.swift"], in: folder)
      #expect(end.status == 3 && end.errors.contains("is no baseline"), "\(end)")
      #expect(try folder.text("a.swift") == Sample.bad)
    }

    // MARK: Changed lines

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
  }
}
