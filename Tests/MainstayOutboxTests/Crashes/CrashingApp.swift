// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay
import TestSupport

/// The program that is killed, and the other side, which it reaches by a socket.
///
/// The other side is here and outlives it: what it was asked for has happened, also where no answer
/// has come.
final class CrashingApp: Sendable {
  /// When it dies.
  enum Death: CustomStringConvertible {
    /// At a step, when that is reached for the n-th time: by its own hand, and at no other moment.
    case step(String, Int)
    /// When this process has heard so much from it, wherever it has come to until then.
    case moment(Int)
    /// Not at all.
    case never

    var description: String {
      switch self {
      case .step(let step, let occurrence): "\(step) \(occurrence)"
      case .moment(let count): "moment \(count)"
      case .never: "the end"
      }
    }
  }

  private struct NoSocket: Error {}

  private let folder: URL
  private let mode: String
  private let ledger: Locked<CrashLedger>

  /// Makes one that has not run yet.
  ///
  /// - Parameters:
  ///   - folder: Where it keeps its outbox.
  ///   - mode: What it does about a change that may have been applied: `reconcile` or `dedupe`.
  init(in folder: URL, mode: String) {
    (self.folder, self.mode) = (folder, mode)
    ledger = Locked(CrashLedger(knowsRepetitions: mode == "dedupe"))
  }

  /// What the other side has heard.
  var told: CrashLedger { ledger.withLock { $0 } }

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - death: When it dies.
  ///   - redrives: Whether it begins with what was given up before.
  /// - Returns: The exit code, or the signal that ended it.
  /// - Throws: Where it does not start.
  func run(until death: Death, redrives: Bool) async throws -> Int32 {
    let (own, other) = try Self.sockets()
    let process = Process()
    process.executableURL = BuiltProgram.built("OutboxCrashChild")
    process.arguments = arguments(death, redrives)
    process.standardInput = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { ended in
      continuation.yield(ended.terminationStatus)
      continuation.finish()
    }
    do {
      // Only the child has that end from now on, so that this one hears when it dies.
      defer { close(other) }
      try Launch.run(process)
    } catch {
      close(own)
      throw error
    }
    let child = process.processIdentifier
    await withCheckedContinuation { heard in
      Thread.detachNewThread { [self] in
        serve(child, at: own, until: death)
        close(own)
        heard.resume()
      }
    }
    return await ends.first { _ in true } ?? -1
  }

  private func arguments(_ death: Death, _ redrives: Bool) -> [String] {
    var place = ["none", "0"]
    if case .step(let step, let occurrence) = death { place = [step, String(occurrence)] }
    let next = told.next.map(String.init).joined(separator: ",")
    return [folder.path(percentEncoded: false), mode] + place
      + [redrives ? "redrive" : "keep", next]
  }

  /// Does what the child asks for, until nothing more comes from it.
  private func serve(_ child: pid_t, at socket: Int32, until death: Death) {
    var last = Int.max
    if case .moment(let count) = death { last = count }
    var (lines, count) = (WordReader(socket), 0)
    while let words = lines.next() {
      let answer = ledger.withLock { $0.heard(words) }
      count += 1
      if count == last { kill(child, SIGKILL) }
      // What was under way when it died still happens, and nobody hears of it.
      guard let answer, count < last else { continue }
      let bytes = Array((answer + "\n").utf8)
      _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Two ends of a socket that no other program gets.
  private static func sockets() throws -> (own: Int32, other: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw NoSocket() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  #if os(Linux)
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  #else
    private static let kind = SOCK_STREAM
  #endif
}
