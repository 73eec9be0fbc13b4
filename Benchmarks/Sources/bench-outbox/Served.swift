// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that says where it listens, while something is measured.
enum Served {
  /// - Parameters:
  ///   - program: Where it lies.
  ///   - arguments: What it is started with.
  ///   - body: What is measured, with the address of the program and its process.
  /// - Returns: What was measured.
  /// - Throws: ``Refused`` where it does not start.
  static func run<T>(
    _ program: String, _ arguments: [String], _ body: (String, Process) throws -> T
  ) throws -> T {
    let app = Process()
    let output = Pipe()
    app.executableURL = URL(filePath: program)
    app.arguments = arguments
    app.standardOutput = output
    app.standardError = FileHandle.nullDevice
    try app.run()
    defer {
      app.terminate()
      app.waitUntilExit()
    }
    return try body(try address(output), app)
  }

  /// Asks for a page, on a connection of its own.
  ///
  /// By `curl`, as Foundation on Linux reads no addresses of the network without its other half.
  ///
  /// - Parameter address: Where it is.
  /// - Returns: The page, and how long it took with its connection, in seconds.
  /// - Throws: ``Refused`` where it does not come.
  static func page(_ address: String) throws -> (text: String, seconds: Double) {
    let curl = Process()
    let output = Pipe()
    curl.executableURL = URL(filePath: "/usr/bin/env")
    curl.arguments = ["curl", "-s", "--fail", "-w", "\n%{time_total}", address]
    curl.standardOutput = output
    try curl.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    curl.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard curl.terminationStatus == 0, let end = text.lastIndex(of: "\n"),
      let seconds = Double(text[text.index(after: end)...])
    else { throw Refused(answer: "\(address): curl ended with \(curl.terminationStatus)") }
    return (String(text[..<end]), seconds)
  }

  private static func address(_ output: Pipe) throws -> String {
    var text = ""
    while true {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Refused(answer: "it has ended: \(text)") }
      text += String(decoding: data, as: UTF8.self)
      if let start = text.range(of: "http://"), let end = text.firstIndex(of: "\n") {
        return String(text[start.lowerBound..<end])
      }
    }
  }
}

struct Refused: Error, CustomStringConvertible {
  let answer: String
  var description: String { "The program did not answer as it should: \(answer)" }
}
