// SPDX-License-Identifier: Apache-2.0

import Testing

extension ProgramTests {
  /// Where the configuration comes from.
  @Suite struct SettingsTests {
    @Test func `the configuration of the project is found from a folder below`() async throws {
      let folder = try Folder()
      try folder.makeFolder(".git")
      try folder.write(".mainstay-audit.yml", "exclude: [App/Gen]\nseverity: { MS201: info }\n")
      try folder.write("App/Gen/a.swift", Sample.bad)
      try folder.write("App/b.swift", Sample.bad)
      let end = try await AuditProgram.run(["--format", "xcode"], in: folder, below: "App")
      #expect(!end.output.contains("Gen/a.swift"), "\(end)")
      #expect(end.output.contains("b.swift:4:24: note:"), "\(end)")
      let named = try await AuditProgram.run(["--format", "xcode", "App/Gen"], in: folder)
      #expect(named.output.contains("App/Gen/a.swift:4:24:"), "what is named is taken: \(named)")
    }

    @Test func `a configuration above the repository is not read`() async throws {
      let folder = try Folder()
      try folder.write(".mainstay-audit.yml", "profile: nonsense\n")
      try folder.makeFolder("project/.git")
      try folder.write("project/a.swift", Sample.good)
      try folder.write("loose/a.swift", Sample.good)
      for below in ["project", "loose"] {
        let end = try await AuditProgram.run([], in: folder, below: below)
        #expect(end.status == 0 && end.errors == "", "\(below): \(end)")
      }
    }

    @Test func `what is wrong is told line by line, and the rest is looked at`() async throws {
      let folder = try Folder()
      try folder.write(".mainstay-audit.yml", "profil: all\nenable: [MS999]\nexclude: [Gen]\n")
      try folder.write("a.swift", Sample.bad)
      try folder.write("Gen/b.swift", Sample.bad)
      let end = try await AuditProgram.run(["--format", "xcode"], in: folder)
      #expect(end.status == 2)
      #expect(end.output.contains("a.swift:4:24:") && !end.output.contains("Gen"), "\(end)")
      #expect(
        end.errors == """
          mainstay-audit: .mainstay-audit.yml:1:1: There is no key `profil`; did you mean `profile`?
          mainstay-audit: .mainstay-audit.yml:2:10: There is no rule `MS999`
          mainstay-audit: What is wrong in .mainstay-audit.yml was left out.

          """)
      let fix = try await AuditProgram.run(["--fix"], in: folder)
      #expect(fix.status == 2)
      #expect(try folder.text("a.swift") == Sample.bad)
    }

    @Test func `a name of the app's error that is nearly right is told`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", "enum AppError: Error { case a }\n")
      for (name, note) in [
        ("AppError", ""), ("Trouble", ""),
        (
          "AppEror",
          "mainstay-audit: No type is called `AppEror`, as `app_error` says; did you mean "
            + "`AppError`?\n"
        ),
      ] {
        try folder.write(".mainstay-audit.yml", "app_error: \(name)\n")
        let end = try await AuditProgram.run([], in: folder)
        #expect(end.errors == note, "\(name): \(end)")
      }
    }

    @Test func `a configuration that is named has to be there`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.good)
      let end = try await AuditProgram.run(["--config", "none.yml"], in: folder)
      #expect(end.status == 3)
      #expect(
        end.errors == "mainstay-audit: none.yml cannot be read: no such file or directory.\n")
    }

    @Test func `a configuration may come from a program that is slow to write it`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      // The writer starts the audit twice before it writes, which the reader does once.
      let end = try await AuditProgram.run(
        shell: #"""
          bash -c '"$0" --format xcode --config <(
            "$0" rules >listed; "$0" rules >listed; echo "severity: { MS201: info }") .' "$0"
          """#, in: folder)
      #expect(end.errors == "" && end.output.contains("a.swift:4:24: note:"), "\(end)")
    }

    @Test func `what is typed wins over the file`() async throws {
      let folder = try Folder()
      try folder.write(
        "c.yml", "disable: [MS201]\noverrides:\n  - paths: [Sources]\n    disable: [MS201]\n")
      try folder.write("Sources/a.swift", Sample.bad)
      let off = try await AuditProgram.run(["--config", "c.yml"], in: folder)
      #expect(off.status == 0, "\(off)")
      let on = try await AuditProgram.run(
        ["--config", "c.yml", "--enable", "empty-catch"], in: folder)
      #expect(on.status == 1, "\(on)")
    }

    @Test func `a proposal is printed, can be used, and is never written over a file`()
      async throws
    {
      let folder = try Folder()
      try folder.makeFolder(".git")
      try folder.write(
        "Sources/Errors.swift",
        """
        enum ShopError: Error { case a }
        enum CartError: Error { case b }
        enum PayError: Error { case c }
        extension ShopError {
          init(_ error: CartError) { self = .a }
          init(_ error: PayError) { self = .a }
        }
        struct Shop { let journal = Logger(label: "shop") }
        """)
      try folder.write("Examples/Demo/a.swift", Sample.good)
      try folder.write("Tests/ShopTests/a.swift", Sample.good)
      let shown = try await AuditProgram.run(["init"], in: folder)
      #expect(shown.status == 0, "\(shown)")
      for line in [
        "app_error: ShopError", "loggers: [journal]", "  - paths: [Examples]", "profile: strict",
        "# Known as tests by their names: Tests.",
      ] {
        #expect(shown.output.contains(line + "\n"), "\(shown.output)")
      }
      let written = try await AuditProgram.run(["init", "--write"], in: folder)
      #expect(written.status == 0 && written.output == "./.mainstay-audit.yml is written.\n")
      #expect(try folder.text(".mainstay-audit.yml") == shown.output)
      let used = try await AuditProgram.run([], in: folder)
      #expect(used.errors == "", "\(used)")
      let again = try await AuditProgram.run(["init", "--write"], in: folder)
      #expect(again.status == 3 && again.errors.contains("nothing is overwritten"), "\(again)")
    }
  }
}
