// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A child process is killed with SIGKILL at every step between a record and its end, and started
/// again: nothing acknowledged is lost, and the accounts are exact.
@Suite(.requirement("B42", "A54", "T5")) struct ReportCrashTests {
  private static let kills = RandomDose.isTorture ? 1_000 : 40
  private static let steps = StoreProbe.Step.allCases.filter { $0 != .fileQuarantined }

  @Test(arguments: ["roomy", "tight", "damaged", "memory"])
  func `nothing acknowledged is lost, whenever the process is killed`(mode: String) async throws {
    let folder = try ReportFolder()
    var random = SeededGenerator(seed: UInt64(mode.utf8.count))
    let steps = mode == "damaged" ? StoreProbe.Step.allCases : Self.steps
    var count = 0
    for run in 0..<(Self.kills * 3) where count < Self.kills {
      let step = steps[run % steps.count]
      let occurrence = step == .fileQuarantined ? 1 : Int.random(in: 1...6, using: &random)
      let status = try await CrashChild.run([folder.root, mode, step.rawValue, "\(occurrence)"])
      let isExpected = [0, SIGKILL].contains(status.status)
      #expect(isExpected, "run \(run) ended with \(status)")
      if status.status == SIGKILL { count += 1 }
      // The child goes on by itself in every other run: its own opening is put to the test too.
      if run.isMultiple(of: 2) {
        await check(folder, mode, "run \(run), killed at \(step) \(occurrence)")
      }
    }
    #expect(count == Self.kills)
    let last = try await CrashChild.run([folder.root, mode, "none", "0"])
    #expect(last.status == 0, "\(last)")
    await check(folder, mode, "the last run")
    #expect(folder.files.isEmpty)
    // The others are reached where there is something to drop.
    let killedAt = folder.journal("killed")
    #expect(killedAt.isSuperset(of: steps.map(\.rawValue)), "\(killedAt)")
  }

  private func check(_ folder: ReportFolder, _ mode: String, _ when: String) async {
    // As the child's, or looking at the folder would make room.
    let store = ReportStore(
      at: folder.store,
      mode == "tight"
        ? .init(maximumCount: 6, maximumBytes: 10_000, reserve: 0)
        : .init(maximumCount: 1_000, reserve: 0),
      replies: .otlp, transport: ScriptedService([nil]))
    let ledger = await store.ledger
    await store.shutDown()
    #expect(ledger.isBalanced && ledger.resets == 0, "\(when)")
    let waiting = Set(folder.files.map { $0.dropFirst(17).prefix(36).uppercased() })
    #expect(ledger.pending == waiting.count, "\(when)")
    let (served, refused) = (folder.journal("served"), folder.journal("refused"))
    let (accepted, damaged) = (folder.journal("accepted"), folder.journal("damaged"))
    // One that was served and not settled, since the process died, can still be dropped later.
    let settled = served.subtracting(waiting)
    #expect(ledger.sent <= settled.count, "counted once, however often it was sent: \(when)")
    let gone = accepted.subtracting(served).subtracting(refused).subtracting(waiting)
    let lost = ledger.droppedInAll - ledger.dropped(.overflow) - ledger.dropped(.rejected)
    #expect(lost == 0 || mode == "memory" && lost == ledger.dropped(.lost), "\(when): \(ledger)")
    switch mode {
    case "roomy":
      #expect(gone.isEmpty, "something acknowledged was lost: \(when)")
      #expect(ledger.sent == settled.count, "\(when)")
      #expect(ledger.dropped(.rejected) == refused.subtracting(waiting).count, "\(when)")
      #expect(
        ledger.quarantined == 0 && ledger.droppedInAll == ledger.dropped(.rejected), "\(when)")
    case "memory":
      #expect(gone.isEmpty, "something acknowledged was lost: \(when)")
      // One that is seen to have had a file was not lost, whenever it left the memory.
      let filed = served.union(refused).union(waiting).union(accepted)
      #expect(filed.count + lost <= folder.journal("intended").count, "counted twice: \(when)")
      #expect(ledger.captured <= filed.count + lost, "counted twice: \(when)")
    case "tight":
      #expect(gone.count <= ledger.dropped(.overflow), "\(when)")
      #expect(ledger.sent + ledger.dropped(.overflow) >= settled.count, "\(when)")
    default:
      #expect(gone.isSubset(of: damaged), "something acknowledged was lost: \(when)")
      #expect(ledger.quarantined <= damaged.count, "\(when)")
    }
    #expect(ledger.captured >= accepted.count, "\(when)")
    #expect(ledger.captured <= folder.journal("intended").count, "\(when)")
  }
}

extension ReportFolder {
  var root: String { url.path(percentEncoded: false) }

  /// The words that the child wrote down.
  func journal(_ name: String) -> Set<String> {
    let text = try? String(contentsOf: url.appending(path: name), encoding: .utf8)
    return Set((text ?? "").split(separator: "\n").map(String.init))
  }
}

/// The program that is killed, or that meets a disk that does not work.
enum CrashChild {
  struct End: Sendable {
    let status: Int32
    /// What it printed, line by line.
    let lines: [String]
    let errors: String
  }

  static func run(_ arguments: [String]) async throws -> End {
    try await run(program, arguments)
  }

  /// Runs a script in which `$0` is the program, with mounts that nobody else sees; needs root.
  static func run(script: String, _ folder: String) async throws -> End {
    try await run(
      URL(filePath: "/usr/bin/unshare"), ["-m", "sh", "-ec", script, program.path, folder])
  }

  private static func run(_ program: URL, _ arguments: [String]) async throws -> End {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try Launch.run(process) } catch { continuation.resume(throwing: error) }
    }
    // What it prints is far less than a pipe holds.
    func text(_ pipe: Pipe) throws -> String {
      String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
    return End(
      status: status, lines: try text(output).split(separator: "\n").map(String.init),
      errors: try text(errors))
  }

  /// It lies beside the program that runs the tests.
  private static var program: URL {
    get throws {
      let places = [CommandLine.arguments.first, Bundle.main.executablePath].compactMap { $0 }
      let programs = places.flatMap { place in
        let folder = URL(filePath: place).deletingLastPathComponent()
        return [folder, folder.deletingLastPathComponent()].map {
          $0.appending(path: "ReportCrashChild")
        }
      }
      return try #require(
        programs.first {
          FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false))
        })
    }
  }
}
