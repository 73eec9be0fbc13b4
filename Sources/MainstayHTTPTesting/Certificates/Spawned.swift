// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import NIOPosix

/// Programs of the system, run to their end.
enum Spawned {
  /// Runs a program, found as a shell would find it.
  ///
  /// Foundation's `Process` has crashed when two were started at once, and others may start some.
  ///
  /// - Parameters:
  ///   - program: Its name.
  ///   - arguments: What it is told.
  ///   - complaints: The file for all that it prints.
  /// - Returns: Its exit status, or 128 and the signal that ended it.
  /// - Throws: `ServerFailure` where it cannot be started.
  static func status(
    of program: String, _ arguments: [String], complaints: String
  ) async throws -> Int32 {
    #if os(macOS) || os(Linux)
      try await NIOThreadPool.singleton.runIfActive {
        try run(program, arguments, complaints)
      }
    #else
      throw ServerFailure.noCertificate(reason: "this system runs no programs")
    #endif
  }

  #if os(macOS) || os(Linux)
    private static func run(
      _ program: String, _ arguments: [String], _ complaints: String
    ) throws -> Int32 {
      #if canImport(Darwin)
        var files: posix_spawn_file_actions_t?
      #else
        var files = posix_spawn_file_actions_t()
      #endif
      posix_spawn_file_actions_init(&files)
      defer { posix_spawn_file_actions_destroy(&files) }
      posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
      let way = O_WRONLY | O_CREAT | O_APPEND
      for stream: Int32 in [1, 2] {
        posix_spawn_file_actions_addopen(&files, stream, complaints, way, 0o600)
      }
      let words = ([program] + arguments).map { strdup($0) }
      let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
      defer { for text in words + variables { free(text) } }
      var id = pid_t()
      let failure = posix_spawnp(&id, program, &files, nil, words + [nil], variables + [nil])
      guard failure == 0 else {
        throw ServerFailure.noCertificate(
          reason: "\(program) could not be started: \(String(cString: strerror(failure)))")
      }
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 {
        guard errno == EINTR else { return -1 }
      }
      let signal = status & 0x7f
      return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
  #endif
}
