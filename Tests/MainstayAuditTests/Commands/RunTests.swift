// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The programs are started one after another.
@Suite(.serialized) struct ProgramTests {}

extension ProgramTests {
  /// What was typed, and what came of it.
  @Suite struct RunTests {
    @Test func `findings give status 1, and none status 0`() async throws {
      let folder = try Folder()
      try folder.write("Sources/a.swift", Sample.bad)
      try folder.write("Sources/b.swift", Sample.good)
      let end = try await AuditProgram.run(["Sources"], in: folder)
      #expect(end.status == 1 && end.errors == "", "\(end)")
      #expect(end.output.contains("Sources/a.swift:4:24: error: "))
      #expect(!end.output.contains("\u{1b}"))
      let clean = try await AuditProgram.run(["Sources/b.swift"], in: folder)
      #expect(clean.status == 0 && clean.errors == "", "\(clean)")
    }

    @Test func `without a path it looks at the working folder`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      let end = try await AuditProgram.run(["--format", "json"], in: folder)
      let report = try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [String: Any]
      let findings = report?["findings"] as? [[String: Any]]
      #expect(findings?.first?["path"] as? String == "a.swift")
      #expect(report?["files"] as? Int == 1)
    }

    @Test func `a finding milder than asked for is no failure, or not told`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", "do { try save() } catch { /* Never mind. */ }\n")
      let told = try await AuditProgram.run(["--fail-on", "warning", "a.swift"], in: folder)
      #expect(told.status == 0 && told.output.contains("MS201"), "\(told)")
      let silent = try await AuditProgram.run(["--severity", "warning", "a.swift"], in: folder)
      #expect(silent.status == 0 && !silent.output.contains("MS201"), "\(silent)")
    }

    @Test(arguments: [
      (["--jobs", "0"], "--jobs is from 1 to 256, not 0."),
      (["--enable", "MS2O1,empty-cath"], "There is no rule `MS2O1`; did you mean `MS201`?"),
      (["--enable", "MS201,x"], "There is no rule `x`"),
      (["--enable", "MS201", "--disable", "empty-catch"], "MS201: switch it on or off, not both."),
      (["--profile", "strickt"], "strickt"),
      (["--stdin", "a.swift"], "--stdin takes the place of paths."),
      (["--assume-path", "a.swift"], "--assume-path goes with --stdin."),
      (["--unsafe"], "--unsafe goes with --fix or --diff."),
      (["--changed-since", "--output=x"], "--changed-since"),
      (["--changed-since=--output=x"], "`--output=x` is no revision."),
      (["--strict-baseline"], "--strict-baseline goes with --baseline."),
      (["--output", "a.swift"], "--output a.swift would write over code."),
      (["--explain", "MS2O1"], "There is no rule `MS2O1`; did you mean `MS201`?"),
      (["rules", "MS2O1"], "There is no rule `MS2O1`; did you mean `MS201`?"),
      (["--watch", "--format", "json"], "--watch prints text, xcode or github"),
    ])
    func `wrong options give status 2 and say what is wrong`(
      arguments: [String], words: String
    ) async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      let end = try await AuditProgram.run(arguments, in: folder)
      #expect(end.status == 2 && end.output == "", "\(arguments): \(end)")
      #expect(end.errors.contains(words), "\(arguments): \(end.errors)")
    }

    @Test func `what was typed cannot steer the terminal`() async throws {
      let folder = try Folder()
      let end = try await AuditProgram.run(["no\u{1b}[31m\nne"], in: folder)
      #expect(end.status == 3)
      #expect(end.errors.hasPrefix("mainstay-audit: no\u{fffd}[31m\n"), "\(end.errors)")
    }

    @Test func `where nothing can be looked at the status is 3`() async throws {
      let folder = try Folder()
      let empty = try await AuditProgram.run([], in: folder)
      #expect(empty.status == 3)
      #expect(empty.errors == "mainstay-audit: There is no Swift file in the working folder.\n")
      try folder.write("a.swift", Data([0, 1, 2]))
      let binary = try await AuditProgram.run(["--format", "json"], in: folder)
      #expect(binary.status == 3)
      #expect(
        binary.errors == """
          mainstay-audit: a.swift: it is no text
          mainstay-audit: Nothing could be looked at.

          """)
    }

    @Test func `what cannot be looked at is told, and the rest is looked at`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      try folder.write("binary.swift", Data([0x7F, 0x45, 0x00]))
      try folder.write("latin.swift", Data([0x2F, 0x2F, 0xE9, 0x0A]))
      try folder.write("large.swift", Data(count: 50 << 20))
      try folder.link("loop.swift", to: "loop.swift")
      try folder.link("up", to: "..")
      let end = try await AuditProgram.run(["--format", "json", ".", "none"], in: folder)
      #expect(end.status == 1 && end.output.contains("MS201"), "\(end)")
      #expect(
        end.errors == """
          mainstay-audit: binary.swift: it is no text
          mainstay-audit: large.swift: it has 50 MB; the most is 4 MB
          mainstay-audit: latin.swift: it is no UTF-8 from line 1 on
          mainstay-audit: loop.swift: the link leads to itself
          mainstay-audit: none: there is no such file or folder

          """)
    }

    @Test func `a path that is named and cannot be looked at is no success`() async throws {
      let folder = try Folder()
      try folder.write("Sources/a.swift", Sample.good)
      try folder.write("Sources/latin.swift", Data([0x2F, 0x2F, 0xE9, 0x0A]))
      let found = try await AuditProgram.run(["Sources"], in: folder)
      #expect(found.status == 0, "what lies below is told: \(found)")
      for name in ["Tets", "Sources/latin.swift"] {
        for more in [[], ["--format", "json"], ["--diff"], ["--write-baseline", "base.json"]] {
          let end = try await AuditProgram.run(more + ["Sources/a.swift", name], in: folder)
          #expect(end.status == 3, "\(name) \(more): \(end)")
          #expect((end.output + end.errors).contains("\(name): "), "\(name) \(more): \(end)")
        }
      }
    }

    @Test func `a path that is named has to be there for changed lines, too`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.good)
      for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]] {
        _ = try await AuditProgram.run("git", arguments, in: folder)
      }
      let end = try await AuditProgram.run(["--changed-since", "HEAD", "a.swift", "b"], in: folder)
      #expect(end.status == 3 && (end.output + end.errors).contains("b: "), "\(end)")
    }

    @Test func `an empty file is a file without findings`() async throws {
      let folder = try Folder()
      try folder.write("Empty.swift", "")
      for arguments in [["Empty.swift"], ["--stdin"], []] {
        let end = try await AuditProgram.run(arguments, in: folder)
        #expect(end.status == 0 && end.errors == "", "\(arguments): \(end)")
      }
    }

    @Test func `what is excluded stays so where an editor or a hook names it`() async throws {
      let folder = try Folder()
      try folder.write(".mainstay-audit.yml", "exclude: [Sources/Gen]\n")
      try folder.write("Sources/Gen/a.swift", Sample.bad)
      try folder.write("Sources/b.swift", Sample.bad)
      let note = "mainstay-audit: Sources/Gen/a.swift is excluded by the configuration.\n"
      let editor = try await AuditProgram.run(
        ["--stdin", "--assume-path", "Sources/Gen/a.swift"], in: folder, input: Sample.bad)
      #expect(editor.status == 0 && editor.errors == note, "\(editor)")
      let named = try await AuditProgram.run(["Sources/Gen/a.swift"], in: folder)
      #expect(named.status == 1, "\(named)")
      let hook = try await AuditProgram.run(
        ["--force-exclude", "Sources/Gen/a.swift"], in: folder)
      #expect(hook.status == 0 && hook.errors == note, "\(hook)")
      let both = try await AuditProgram.run(
        ["--force-exclude", "--format", "xcode", "Sources/Gen/a.swift", "Sources/b.swift"],
        in: folder)
      #expect(both.status == 1 && !both.output.contains("Gen"), "\(both)")
    }

    @Test func `where all is excluded that is said`() async throws {
      let folder = try Folder()
      try folder.write(".mainstay-audit.yml", "exclude: [Sources]\n")
      try folder.write("Sources/a.swift", Sample.bad)
      let end = try await AuditProgram.run([], in: folder)
      #expect(
        end.errors == "mainstay-audit: There is no Swift file in the working folder that is not "
          + "excluded.\n" && end.status == 3, "\(end)")
    }

    @Test func `standard input is looked at as the file that it stands for`() async throws {
      let folder = try Folder()
      let arguments = ["--stdin", "--assume-path", "Sources/b.swift", "--format", "xcode"]
      let end = try await AuditProgram.run(arguments, in: folder, input: Sample.bad)
      #expect(end.status == 1 && end.output.contains("Sources/b.swift:4:24: error:"), "\(end)")
      let test = try await AuditProgram.run(
        ["--stdin", "--assume-path", "Tests/b.swift"], in: folder, input: Sample.bad)
      #expect(test.status == 0, "\(test)")
      let mended = try await AuditProgram.run(
        ["--stdin", "--diff", "--quiet"], in: folder, input: Sample.bad)
      #expect(mended.output.contains("+    do { try write() } catch { log.error"), "\(mended)")
    }

    @Test func `a report is written to a file`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      let end = try await AuditProgram.run(["--format", "sarif", "-o", "x.sarif"], in: folder)
      #expect(end.status == 1 && end.output == "")
      #expect(try folder.text("x.sarif").contains("2.1.0"))
      let missing = try await AuditProgram.run(["-o", "none/x"], in: folder)
      #expect(missing.status == 3)
      #expect(
        missing.errors
          == "mainstay-audit: none/x cannot be written: there is no folder none.\n")
    }

    @Test func `a report goes into a pipe that is there, and to where a link leads`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", Sample.bad)
      try folder.link("later.json", to: "real.json")
      let end = try await AuditProgram.run(
        shell: """
          mkfifo pipe
          cat pipe >got &
          "$0" --format json -o pipe .
          test -p pipe || { kill $!; exit 7; }
          wait
          "$0" --format json -o later.json .
          test -L later.json && cmp got real.json
          """, in: folder)
      #expect(end.status == 0 && end.errors == "", "\(end)")
      #expect(try folder.text("got").contains("MS201"))
    }

    @Test func `a reader that has seen enough is no failure`() async throws {
      let folder = try Folder()
      try folder.write("a.swift", String(repeating: Sample.bad, count: 2_000))
      let end = try await AuditProgram.run(
        shell: #"{ "$0" --format json .; echo "status $?" >&2; } | head -c 1"#, in: folder)
      #expect(end.errors == "status 0\n", "\(end.errors)")
    }

    #if os(Linux)
      @Test func `output that finds no room is a failure`() async throws {
        let folder = try Folder()
        try folder.write("a.swift", Sample.bad)
        let end = try await AuditProgram.run(shell: #""$0" . >/dev/full"#, in: folder)
        #expect(end.status == 3)
        #expect(
          end.errors
            == "mainstay-audit: The output cannot be written: no space left on device.\n")
      }
    #endif

    @Test func `rules are listed and explained`() async throws {
      let folder = try Folder()
      let list = try await AuditProgram.run(["rules"], in: folder)
      #expect(list.status == 0 && list.output.contains("MS201"))
      let json = try await AuditProgram.run(["rules", "--json"], in: folder)
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(json.output.utf8))
      }
      let explained = try await AuditProgram.run(["--explain", "empty-catch"], in: folder)
      #expect(explained.status == 0 && explained.output.contains("MS201"))
    }
  }
}
