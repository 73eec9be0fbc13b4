// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A program run to its end.
///
/// Two tests need one: the list of files comes from git, the manifest from SwiftPM.
enum Command {
  /// The program ended with an exit code other than zero, and this is what it printed.
  struct Failure: Error {
    let arguments: [String]
    let exitCode: Int32
    let errors: String
  }

  /// Runs a program found on the path, and returns its standard output.
  static func output(of arguments: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    // Both streams go to files: nobody has to drain a full pipe while the other one blocks.
    let output = folder.appending(path: "output")
    let errors = folder.appending(path: "errors")
    for file in [output, errors] { try Data().write(to: file) }

    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try Launch.run(process)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let printed = try String(contentsOf: errors, encoding: .utf8)
      throw Failure(
        arguments: arguments, exitCode: process.terminationStatus, errors: printed)
    }
    return try String(contentsOf: output, encoding: .utf8)
  }
}
