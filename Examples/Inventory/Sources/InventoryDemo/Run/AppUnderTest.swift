// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Foundation
internal import Mainstay

/// `inventory` as the demo runs it: killed at any moment, and started again on the same port with
/// the same folder.
actor AppUnderTest {
  private let children: Children
  private let program: URL
  private let folder: URL
  private let upstream: Int
  private var child: ChildProgram
  private(set) var kills = 0
  private var lastStart = ContinuousClock.now

  /// Counts each end and each start, so that it is odd while nothing runs.
  private let turns = Locked(0)

  nonisolated let wire: Wire

  init(
    _ children: Children, program: URL, folder: URL, upstream: Int, http: HTTPClient
  ) async throws {
    self.children = children
    self.program = program
    self.folder = folder
    self.upstream = upstream
    let child = try await Self.start(children, program, folder, upstream, port: 0)
    self.child = child
    wire = Wire(port: child.port, http: http)
  }

  /// The turn that it is in.
  nonisolated var turn: Int { turns.withLock { $0 } }

  /// Whether it runs in a turn.
  nonisolated static func isRunning(in turn: Int) -> Bool { turn.isMultiple(of: 2) }

  /// Kills it, and starts it again.
  ///
  /// Not within a second of its last start: three runs of one operation that end with the process
  /// are a dead letter by design, and a user's device is not that unlucky.
  ///
  /// - Parameter isRight: Whether the moment is right.
  /// - Throws: `DemoFailure` where it does not start again.
  func killAndRestart(when isRight: @Sendable () -> Bool) async throws {
    try await Task.sleep(until: lastStart + .seconds(1), clock: .continuous)
    while !isRight() { try await Task.sleep(for: .milliseconds(1)) }
    turns.withLock { $0 += 1 }
    await child.stop(SIGKILL)
    kills += 1
    child = try await Self.start(children, program, folder, upstream, port: child.port)
    lastStart = .now
    turns.withLock { $0 += 1 }
  }

  /// Asks it to stop.
  ///
  /// - Returns: The status with which it ended.
  func stop() async -> Int32 { await child.stop(SIGTERM) }

  private static func start(
    _ children: Children, _ program: URL, _ folder: URL, _ upstream: Int, port: Int
  ) async throws -> ChildProgram {
    try await children.start(
      program,
      [
        "--port", "\(port)", "--data", folder.appending(path: "inventory").path,
        "--upstream", "http://127.0.0.1:\(upstream)",
      ], log: folder.appending(path: "inventory.log"))
  }
}
