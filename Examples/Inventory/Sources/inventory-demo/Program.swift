// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import InventoryDemo

struct Options: ParsableArguments {
  @Option(help: "What the run is drawn from: the same seed makes the same plan.")
  var seed: UInt64 = 1

  @Option(help: "How many things are scanned, 1 to 5000.")
  var scans = Plan.Size().scans

  @Option(help: "How often inventory is killed, 0 to 100.")
  var kills = Plan.Size().kills

  @Flag(help: "Print the verdict as JSON.")
  var json = false

  @Option(help: "The folder that keeps the files of both programs; it must be empty or new.")
  var keep: String?

  func validate() throws {
    guard Plan.Size.scans.contains(scans) else {
      throw ValidationError("--scans must be from 1 to 5000, not \(scans).")
    }
    guard Plan.Size.kills.contains(kills) else {
      throw ValidationError("--kills must be from 0 to 100, not \(kills).")
    }
  }
}

@main struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inventory-demo",
    abstract: "Proves that the example app loses nothing under every fault and SIGKILL.",
    discussion: """
      Exit status: 0 all conditions hold, 1 one is broken, 2 wrong options, 3 it could not be run.
      """)

  @OptionGroup var options: Options

  static func main() async {
    let program: Program
    do {
      program = try parse()
    } catch {
      let isHelp = exitCode(for: error) == .success
      write(fullMessage(for: error) + "\n", isHelp ? .standardOutput : .standardError)
      leave(isHelp ? 0 : 2)
    }
    await program.play()
  }

  private func play() async {
    let plan = Plan(seed: options.seed, size: Plan.Size(scans: options.scans, kills: options.kills))
    let children = Children()
    let progress = ProgressLine(
      isTerminal: isatty(STDERR_FILENO) == 1, environment: ProcessInfo.processInfo.environment
    ) { write($0, .standardError) }
    do {
      let folder = try WorkFolder(options.keep)
      let signals = [SIGINT, SIGTERM].map {
        ending($0, children: children, folder: folder, progress: progress)
      }
      defer { for signal in signals { signal.cancel() } }
      do {
        let evidence = try await Demo(
          plan, programs: try programs(), folder: folder.url, children: children,
          progress: progress
        ).run()
        let verdict = Verdict(evidence)
        write(options.json ? try verdict.json(plan) : verdict.text(plan), .standardOutput)
        if !verdict.holds { tellOf(folder) } else { folder.remove() }
        leave(verdict.holds ? 0 : 1)
      } catch {
        progress.end()
        children.end()
        write("inventory-demo: \(error)\n", .standardError)
        tellOf(folder)
        leave(3)
      }
    } catch {
      write("inventory-demo: \(error)\n", .standardError)
      leave(3)
    }
  }

  /// What was built together lies together.
  private func programs() throws -> URL {
    guard let file = Bundle.main.executableURL else { throw Unfindable() }
    return file.deletingLastPathComponent()
  }

  private func tellOf(_ folder: WorkFolder) {
    write("The files of both programs are in \(folder.url.path).\n", .standardError)
  }

  /// Ends the programs and the demo at a signal.
  private func ending(
    _ number: Int32, children: Children, folder: WorkFolder, progress: ProgressLine
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      children.end()
      progress.end()
      folder.remove()
      write("inventory-demo: stopped; nothing is left running.\n", .standardError)
      leave(3)
    }
    source.resume()
    return source
  }
}

/// The system does not say where the program lies.
private struct Unfindable: Error, CustomStringConvertible {
  let description = "The folder of this program is not known; start it by its whole path."
}

/// Where both programs keep their files.
struct WorkFolder: Sendable {
  let url: URL
  private let isKept: Bool

  /// Makes the folder; a temporary one where none is named.
  init(_ path: String?) throws {
    isKept = path != nil
    url =
      path.map { URL(filePath: $0, directoryHint: .isDirectory) }
      ?? FileManager.default.temporaryDirectory.appending(path: "inventory-demo-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    guard try FileManager.default.contentsOfDirectory(atPath: url.path).isEmpty else {
      throw Taken(description: "\(url.path) is not empty; name an empty or a new folder.")
    }
  }

  func remove() { if !isKept { try? FileManager.default.removeItem(at: url) } }

  private struct Taken: Error, CustomStringConvertible {
    let description: String
  }
}

/// Writes at once; what is printed waits while the output is no terminal.
private func write(_ text: String, _ file: FileHandle) { file.write(Data(text.utf8)) }

/// Ends the process; within a command the name `exit` means something else.
private func leave(_ status: Int32) -> Never { exit(status) }
