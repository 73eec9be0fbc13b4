// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension ProgramTests {
  /// Looking again and again.
  @Suite struct WatchTests {
    @Test func `watching tells of files that change and ends with Ctrl-C`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.good)
      let program = try AuditProgram.start(["--watch", "--format", "xcode"], in: folder)
      #expect(await program.prints("Watching 1 file."))
      try folder.write("b.swift", Sample.bad)
      #expect(await program.prints("b.swift:4:24: error:"))
      #expect(await program.stop(SIGINT) == 0)
    }

    @Test func `a baseline that cannot be read for a moment ends no watching`() async throws {
      let folder = try Folder()
      let baseline = #"{"version": 1, "findings": []}"#
      try folder.write("a.swift", Sample.good)
      try folder.write("base.json", baseline)
      let program = try AuditProgram.start(
        ["--watch", "--format", "xcode", "--baseline", "base.json"], in: folder)
      #expect(await program.prints("Watching 1 file."))
      try folder.write("base.json", "<<<<<<< HEAD\n")
      try folder.write("b.swift", Sample.bad)
      #expect(await program.prints("cannot be read: a merge left its marks"))
      try folder.write("base.json", baseline)
      #expect(await program.prints("b.swift:4:24: error:"))
      #expect(await program.stop(SIGINT) == 0)
    }

    @Test func `a configuration that comes later is noticed`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      let program = try AuditProgram.start(["--watch", "--format", "xcode"], in: folder)
      #expect(await program.prints("Watching 1 file."))
      try folder.write(".mainstay-audit.yml", "severity: { MS201: info }\n")
      #expect(await program.prints("a.swift:4:24: note:"))
      #expect(await program.stop(SIGINT) == 0)
    }
  }
}
