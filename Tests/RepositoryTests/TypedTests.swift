// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayTesting
import TestSupport
import Testing

/// The example and its tools as people meet them: by the scripts that `make` calls, and by what
/// pages tell them to type while it runs.
@Suite(.ends(withinMinutes: 15))
struct TypedTests {
  private let repository = Repository.current

  @Test func `the example starts, and stops, by the script of make run`() async throws {
    let (folder, machine) = (try ScratchFolder(), try BareMachine.built())
    // Nobody else gets them once the programs have ended.
    let (app, upstream) = (try HeldPort(isShared: true), try HeldPort(isShared: true))
    defer { withExtendedLifetime((folder, machine, app, upstream)) {} }
    let run = try await machine.startExample([
      "INVENTORY_PORT": "\(app.number)", "UPSTREAM_PORT": "\(upstream.number)",
      "INVENTORY_DATA": folder.path,
    ]) { printed in
      // Both have said where they listen, and the script has said what to do there.
      let ports = printed.matches(of: /listens on http:\/\/127\.0\.0\.1:(\d+)/)
      let app = printed.firstMatch(of: /inventory listens on http:\/\/127\.0\.0\.1:(\d+)/)
      return ports.count == 2 && printed.contains("Control-C stops both")
        ? app.flatMap { Int($0.1) } : nil
    }
    let address = "http://127.0.0.1:\(run.port)/"
    // Only that it answers: the page may be longer than a pipe holds.
    let look = ["-s", "--fail", "-o", "/dev/null", "-w", "%{http_code} %{content_type}", address]
    let page = try await BuiltProgram.run(fromPath: "curl", look)
    #expect(page.status == 0 && page.output.hasPrefix("200 text/html"))
    #expect(await run.stop(SIGTERM) == 0)
    let gone = try await BuiltProgram.run(fromPath: "curl", look)
    #expect(gone.status == 7, "the app still listens")
  }

  @Test func `the demo runs by the script of make demo`() async throws {
    let machine = try BareMachine.built()
    defer { withExtendedLifetime(machine) {} }
    let end = try await BuiltProgram.run(
      fromPath: "env",
      [
        "PATH=\(machine.path)", "DEMO_FLAGS=--scans 5 --kills 0",
        repository.root.appending(path: "Tools/demo").path,
      ])
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.output.contains("make demo DEMO_FLAGS="))
  }

  @Test func `a program starts in the folder of whoever asks`() async throws {
    let (folder, machine) = (try ScratchFolder(), try BareMachine.built())
    defer { withExtendedLifetime((folder, machine)) {} }
    try folder.write("App.swift", "func load() {\n  do { try read() } catch {}\n}\n")
    let start = repository.root.appending(path: "Tools/start").path
    let script = "cd '\(folder.path)' && PATH='\(machine.path)' exec \"$0\" \"$@\""
    let end = try await BuiltProgram.run(
      fromPath: "/bin/sh", ["-c", script, start, "mainstay-audit", "App.swift"])
    #expect(end.status == 1 && end.output.contains("App.swift:2"), "\(end.errors)")
    let bare = try await BuiltProgram.run(fromPath: "/bin/sh", ["-c", script, start])
    #expect(bare.status == 2 && bare.errors.hasPrefix("Usage: Tools/start PROGRAM"))
  }

  /// In the order of each page, beside an app that runs, in the folder of somebody who tries it.
  @Test func `commands of pages do what they say`() async throws {
    let folder = try ScratchFolder()
    defer { withExtendedLifetime(folder) {} }
    let app = try await BuiltProgram(
      "inventory",
      ["--port", "0", "--data", "\(folder.path)/.inventory", "--upstream", "http://127.0.0.1:9"])
    let scan = try await BuiltProgram.run(
      fromPath: "curl",
      [
        "-s", "--fail", "-H", "Content-Type: application/json", "-d",
        #"{"barcode": "9780141439518"}"#, "http://127.0.0.1:\(app.port)/api/scans",
      ])
    #expect(scan.status == 0, "\(scan.output)")
    try folder.write("Sources/App.swift", "func load() {\n  do { try read() } catch {}\n}\n")
    try await folder.commit()

    let pages = repository.writtenFiles.filter {
      $0.path.hasSuffix(".md") && !$0.path.contains("/Fixtures/")
    }
    var ran = 0
    for page in pages {
      var service: BuiltProgram?
      for command in CommandRules.commands(in: MarkdownPage(page)) {
        switch CommandRules.proof(of: command) {
        case .starts:
          let words = command.words.dropFirst().map {
            $0 == ".upstream" ? "\(folder.path)/.upstream" : $0
          }
          service = try await BuiltProgram(command.program, words + ["--port", "0"])
        case .runs(let statuses):
          guard command.program != "curl" || service != nil else { continue }
          let end = try await run(command, in: folder, service: service)
          let place = "\(command.path):\(command.line): \(command.text)"
          #expect(statuses.contains(end.status), "\(place): \(end.errors)")
          ran += 1
        default: continue
        }
      }
      if let service { #expect(await service.stop(SIGTERM) == 0) }
    }
    #expect(ran > 8)
    #expect(await app.stop(SIGTERM) == 0)
  }

  /// Runs it as it stands on the page, in a folder of its own, with that machine's places.
  private func run(
    _ command: CommandRules.Command, in folder: ScratchFolder, service: BuiltProgram?
  ) async throws -> BuiltProgram.End {
    let words = command.words.dropFirst().map { word in
      switch word {
      case "PATH", "../MyApp/Sources": "Sources"
      case "$SRCROOT": "."
      default: word.replacing("127.0.0.1:8081", with: "127.0.0.1:\(service?.port ?? 0)")
      }
    }
    let script = "cd '\(folder.path)' && exec \"$0\" \"$@\""
    guard command.program != "curl" else {
      return try await BuiltProgram.run(fromPath: "curl", ["--fail"] + words)
    }
    return try await BuiltProgram.run(command.program, inShell: script, Array(words))
  }
}
