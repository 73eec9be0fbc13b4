// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs this program again for what needs a process of its own.
enum ChildProcess {
  struct Failed: Error, CustomStringConvertible {
    let arguments: [String]
    let output: String
    var description: String { "\(arguments.joined(separator: " ")) failed:\n\(output)" }
  }

  /// Runs a program and returns all that it prints.
  static func output(of arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let output = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failed(arguments: arguments, output: output)
    }
    return output
  }

  static var ownPath: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
  }
}
