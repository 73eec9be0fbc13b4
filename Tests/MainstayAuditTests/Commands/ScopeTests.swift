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

    @Test func `entries of a file that cannot be read are not old`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      try folder.write("b.swift", Sample.good)
      _ = try await AuditProgram.run(["--write-baseline", "base.json"], in: folder)
      let arguments = ["--baseline", "base.json", "--strict-baseline", "--format", "json"]
      for bytes in [Data(Sample.bad.utf8) + [0x2F, 0x2F, 0xE9, 0x0A], Data(count: 5 << 20)] {
        try folder.write("a.swift", bytes)
        let end = try await AuditProgram.run(arguments, in: folder)
        #expect(end.status == 0 && !end.output.contains("MS004"), "\(end)")
        #expect(end.errors.contains("a.swift: it "), "\(end)")
      }
    }

    @Test func `a baseline is written over nothing else`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      let end = try await AuditProgram.run(["--write-baseline", "a.swift"], in: folder)
      #expect(end.status == 3 && end.errors.contains("is no baseline"), "\(end)")
      #expect(try folder.text("a.swift") == Sample.bad)
    }
  }
}
