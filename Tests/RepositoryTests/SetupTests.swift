// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// `Tools/setup` on machines on which something is missing: it says what, and what works without.
@Suite struct SetupTests {
  @Test(arguments: ["run", "tests"])
  func `an older Swift is named, with what can be done without`(purpose: String) async throws {
    let machine = try BareMachine(scripts: [
      "swift": "echo 'Swift version 6.1.2 (swift-6.1.2-RELEASE)'"
    ])
    let end = try await machine.run("Tools/setup", purpose)
    #expect(end.status == 1 && end.output.isEmpty)
    #expect(end.errors.contains("Swift 6.2 or later is needed; found: 6.1."))
    #expect(end.errors.contains("https://www.swift.org/install/"))
    #expect(end.errors.contains("nothing can be built here; the pages can be read"))
  }

  @Test func `so is none, and one that does not start`() async throws {
    let bare = try BareMachine(without: ["swift"], scripts: ["swift": "exit 127"])
    #expect(try await bare.run("Tools/setup").errors.contains("does not start"))
    let broken = try BareMachine(scripts: ["swift": "echo 'libxml2.so.2: not found' >&2; exit 1"])
    let end = try await broken.run("Tools/setup")
    #expect(end.status == 1 && end.errors.contains("does not start: libxml2.so.2: not found"))
    #expect(end.errors.contains("It needs system libraries"))
  }

  @Test func `a program is not built where something is missing`() async throws {
    let machine = try BareMachine(scripts: [
      "swift": """
      case "$1" in
        build) : >"${0%/*}/built" ;;
        *) echo 'Swift version 6.1.2 (swift-6.1.2-RELEASE)' ;;
      esac
      """
    ])
    let end = try await machine.run("Tools/start", "mainstay-audit", "--help")
    #expect(end.status == 1 && end.errors.contains("found: 6.1."))
    #expect(!machine.has("built"))
  }

  @Test(arguments: ["", "exit 1"])
  func `without the right to install nothing is tried`(sudo: String) async throws {
    var scripts = ["apt-get": ": >\"${0%/*}/installed\""]
    if !sudo.isEmpty { scripts["sudo"] = sudo }
    let machine = try BareMachine(without: ["chromium", "chromedriver"], scripts: scripts)
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.status == 1)
    #expect(end.errors.contains("by this account without a password: chromium chromium-driver"))
    #expect(end.errors.contains("sudo apt-get install chromium chromium-driver"))
    #expect(!machine.has("installed"))
  }

  @Test func `without a browser everything but its tests works`() async throws {
    let machine = try BareMachine(without: ["chromium", "chromedriver"])
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.errors.contains("chromium         no tests in a browser"))
    #expect(end.errors.contains("`make run` and `make demo` need none of them."))
    #expect(
      end.errors.contains("swift test --enable-all-traits --skip 'InventoryBrowserTests'"))
    // `make run` asks for none.
    let run = try await machine.run("Tools/setup", "run")
    #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
  }

  @Test func `without PostgreSQL everything but its tests works`() async throws {
    let machine = try BareMachine(files: ["initdb"])
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.status == 1)
    #expect(end.errors.contains("postgresql       no tests on PostgreSQL"))
    let skipped = [
      "InventoryPostgresTests", "MainstayOutboxPostgresTests", "OutboxDatabaseTests",
      "SharedRunTests",
    ]
    #expect(end.errors.contains("--skip '\(skipped.joined(separator: "|"))'"))
    let client = try BareMachine(files: ["libpq-fe.h"])
    let lost = try await client.run("Tools/setup", "tests")
    #expect(lost.errors.contains("tests do not build"))
    #expect(lost.errors.contains("`make run` and `make demo` need none of them."))
    #expect(!lost.errors.contains("The other tests"))
    // So does the program that looks after its outboxes; another one asks for no library of its.
    let start = try await client.run("Tools/start", "mainstay", "--help")
    #expect(start.status == 1 && start.errors.contains("no program `mainstay`"))
    #expect(try await client.run("Tools/setup").status == 0)
  }

  @Test func `who asks for a database is told what works without it`() async throws {
    let end = try await BareMachine(files: ["initdb"]).run("Tools/setup", "postgres")
    #expect(end.status == 1)
    #expect(end.errors.contains("no `make run STORE=postgres`"))
    #expect(end.errors.contains("`make run` without STORE=postgres needs none of them"))
  }

  @Test func `without Python the example still starts`() async throws {
    let machine = try BareMachine(without: ["python3"])
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.status == 1)
    #expect(end.errors.contains("no tests, and no `make docs`"))
    #expect(end.errors.contains("`make run` and `make demo` need none of them."))
    #expect(!end.errors.contains("The other tests"))
    let run = try await machine.run("Tools/setup")
    #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
  }

  @Test func `without SQLite the rest of the libraries builds`() async throws {
    let machine = try BareMachine(files: ["sqlite3.h"])
    let end = try await machine.run("Tools/setup")
    #expect(end.status == 1)
    #expect(end.errors.contains("no outbox and no example"))
    #expect(end.errors.contains("`swift build --target MainstayUI` works"))
    #expect(!end.errors.contains("`make run` and `make demo` need"))
  }

  @Test(arguments: ["/mnt/c/Program Files (x86)/Git/cmd", "/Users/a/Library/Application Support/x"])
  func `a path with spaces and brackets hides nothing`(folder: String) async throws {
    let machine = try BareMachine(without: ["codespell"], others: [folder])
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.status == 1)
    #expect(end.errors.contains("by this account without a password: codespell \nInstall"))
  }

  @Test func `without a pooler everything but its tests works`() async throws {
    let machine = try BareMachine(files: ["pgbouncer"])
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.status == 1)
    #expect(end.errors.contains("pgbouncer        no tests of PostgreSQL behind a pooler"))
    #expect(end.errors.contains("--skip 'OutboxDatabaseTests|PoolerTests'"))
  }

  @Test func `of each package that is needed it is said what is lost without`() throws {
    let script = try Repository.current.text(at: "Tools/setup")
    let needs = script.matches(of: /"([a-z0-9-]+)\|/).map { String($0.1) }
    #expect(needs.contains("git") && needs.contains("pgbouncer") && needs.count > 12)
    let start = try #require(script.firstRange(of: "lost_without() {"))
    let body = script[start.upperBound...].prefix(while: { $0 != "}" })
    let known = body.matches(of: /\n    ([^)\n]+)\) echo "/).flatMap { match in
      match.1.split(separator: " | ").map(String.init)
    }
    for name in needs {
      let isKnown = known.contains { label in
        label.hasSuffix("*") ? name.hasPrefix(label.dropLast()) : label == name
      }
      #expect(isKnown, "\(name)")
    }
  }

  @Test func `a package that the system does not have is named`() async throws {
    let machine = try BareMachine(
      without: ["chromium"],
      scripts: ["apt-get": "exit 0", "apt-cache": "echo '  Candidate: (none)'"], user: 0)
    let end = try await machine.run("Tools/setup", "tests")
    #expect(end.status == 1)
    #expect(end.errors.contains("not among the packages of this system: chromium"))
    #expect(end.errors.contains("`make run` and `make demo` need none of them."))
  }

  @Test func `what the advice names is there`() throws {
    let repository = Repository.current
    let advice = try repository.text(at: "Tools/setup")
    let names = advice.matches(of: /\b[A-Z][A-Za-z]+Tests\b/).map { String($0.output) }
    #expect(names.count > 5)
    let files = Set(repository.paths.flatMap { $0.split(whereSeparator: { "/.".contains($0) }) })
    for name in names { #expect(files.contains(name[...]), "\(name)") }
    let makefile = try repository.text(at: "Makefile")
    for target in ["run", "demo"] { #expect(makefile.contains("\n\(target): setup ##")) }
  }

  @Test func `without codespell only the spelling is not looked at`() async throws {
    let machine = try BareMachine(without: ["codespell"])
    let end = try await machine.run("Tools/spelling")
    #expect(end.status == 1)
    #expect(end.errors.contains("sudo apt-get install codespell"))
    #expect(end.errors.contains("Nothing else needs it."))
  }

  @Test func `another word is refused with the usage`() async throws {
    let end = try await BareMachine().run("Tools/setup", "everything")
    let usage = "Usage: Tools/setup [run | libpq | postgres | tests]"
    #expect(end.status == 2 && end.errors.contains(usage))
  }
}
