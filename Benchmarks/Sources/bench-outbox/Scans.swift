// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The example from end to end: requests that are answered when what they ask for is on the disk.
///
/// Nobody answers as its service meanwhile, so that everything waits, as it does without a network.
struct Scans {
  /// The program, and what asks it.
  let program: String
  static let row = "POST /api/scans, 32 connections"

  /// - Returns: How long 99 of 100 took at most, in seconds.
  func measure(_ desk: Desk, into table: inout Table) throws -> Double {
    let folder = desk.place.appending(path: "app-\(UUID().uuidString)")
    let app = Process()
    let output = Pipe()
    app.executableURL = URL(filePath: program)
    app.arguments = ["--port", "0", "--data", folder.path, "--upstream", "http://127.0.0.1:1"]
    app.standardOutput = output
    app.standardError = FileHandle.nullDevice
    try app.run()
    defer {
      app.terminate()
      app.waitUntilExit()
    }
    let answer = try ask(try address(output), for: max(desk.seconds, 1), desk)
    guard let rate = number("Requests/sec:", in: answer), let p99 = latency("99%", in: answer),
      !answer.contains("Non-2xx"), !answer.contains("Socket errors")
    else { throw Refused(answer: answer) }
    table.add(Self.row, Int(rate * 100), in: 100)
    return p99
  }

  private func address(_ output: Pipe) throws -> String {
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

  private func ask(_ address: String, for seconds: Double, _ desk: Desk) throws -> String {
    let script = desk.place.appending(path: "scan.lua")
    let lines = """
      wrk.method = "POST"
      wrk.body = '{"barcode": "9780141439518"}'
      wrk.headers["Content-Type"] = "application/json"
      """
    try Data(lines.utf8).write(to: script)
    let wrk = Process()
    let output = Pipe()
    wrk.executableURL = URL(filePath: "/usr/bin/env")
    wrk.arguments = [
      "wrk", "--threads", "1", "--connections", "32", "--duration", "\(Int(seconds.rounded(.up)))s",
      "--latency", "--script", script.path, "\(address)/api/scans",
    ]
    wrk.standardOutput = output
    try wrk.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    wrk.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private func words(after label: String, in text: String) -> Substring? {
    let line = text.split(separator: "\n").first { $0.contains(label) }
    return line?.split(separator: " ").last
  }

  private func number(_ label: String, in text: String) -> Double? {
    words(after: label, in: text).flatMap { Double($0) }
  }

  /// Such as `812.00us`, `12.34ms` or `1.20s`.
  private func latency(_ label: String, in text: String) -> Double? {
    guard let word = words(after: label, in: text) else { return nil }
    for (unit, factor) in [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)] where word.hasSuffix(unit) {
      return Double(word.dropLast(unit.count)).map { $0 * factor }
    }
    return nil
  }

  struct Refused: Error, CustomStringConvertible {
    let answer: String
    var description: String { "The example did not answer as it should: \(answer)" }
  }
}
