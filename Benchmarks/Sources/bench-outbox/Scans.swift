// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation

/// The example from end to end: requests that are answered when what they ask for is on the disk.
///
/// Nobody answers as its service meanwhile, so that everything waits, as it does without a network.
struct Scans {
  /// The program, and what asks it.
  let program: String
  static let row = "POST /api/scans, 32 connections"

  static let overloaded = "the same accepted, 320 connections"

  /// How it did with ten times as many connections as keep it busy.
  struct Overload {
    /// Within which 99 of 100 were answered, in seconds.
    let p99: Double
    /// How much memory it took at most, in MB.
    let memory: Double
  }

  /// - Returns: How long 99 of 100 took at most, in seconds.
  func measure(_ desk: Desk, into table: inout Table) throws -> Double {
    try with(desk) { address, _ in
      let answer = try ask(address, connections: 32, desk)
      guard let rate = number("Requests/sec:", in: answer), let p99 = latency("99%", in: answer),
        !answer.contains("Non-2xx"), !answer.contains("Socket errors")
      else { throw Refused(answer: answer) }
      table.add(Self.row, Int(rate * 100), in: 100)
      return p99
    }
  }

  /// Ten times as many connections, each of which asks again as soon as it is answered.
  ///
  /// What is accepted waits for good, since nobody answers as its service; what is refused is told
  /// when to come back.
  func overload(_ desk: Desk, into table: inout Table) throws -> Overload {
    try with(desk) { address, app in
      let answer = try ask(address, connections: 320, desk)
      guard let accepted = number("accepted", in: answer), let p99 = latency("99%", in: answer),
        number("odd", in: answer) == 0, !answer.contains("Socket errors"),
        let kept = try waiting(address), Double(kept) >= accepted
      else { throw Refused(answer: answer) }
      table.add(Self.overloaded, Int(accepted), in: max(desk.seconds.rounded(.up), 1))
      return Overload(p99: p99, memory: peak(of: app))
    }
  }

  private func with<T>(_ desk: Desk, _ body: (String, Process) throws -> T) throws -> T {
    let folder = desk.place.appending(path: "app-\(UUID().uuidString)")
    let arguments = ["--port", "0", "--data", folder.path, "--upstream", "http://127.0.0.1:1"]
    return try Served.run(program, arguments, body)
  }

  /// How many changes it has still to send.
  private func waiting(_ address: String) throws -> Int? {
    let status = try Served.page("\(address)/api/status").text
    let document = try JSONSerialization.jsonObject(with: Data(status.utf8))
    let outbox = (document as? [String: Any])?["outbox"] as? [String: Any]
    return outbox?["pending"] as? Int
  }

  /// The most memory that a process has had, in MB.
  private func peak(of process: Process) -> Double {
    let path = "/proc/\(process.processIdentifier)/status"
    // mainstay:ignore MS204 -- without it nothing is measured
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? 0) / 1_024
  }

  private func ask(_ address: String, connections: Int, _ desk: Desk) throws -> String {
    let script = desk.place.appending(path: "scan.lua")
    let lines = """
      wrk.method = "POST"
      wrk.body = '{"barcode": "9780141439518"}'
      wrk.headers["Content-Type"] = "application/json"
      local all = {}
      accepted, refused, odd = 0, 0, 0
      function setup(thread) table.insert(all, thread) end
      function response(status, headers)
        if status == 202 then accepted = accepted + 1
        elseif status == 503 and headers["Retry-After"] then refused = refused + 1
        else odd = odd + 1 end
      end
      function done()
        for _, name in ipairs({"accepted", "refused", "odd"}) do
          local sum = 0
          for _, thread in ipairs(all) do sum = sum + thread:get(name) end
          print(name .. " " .. sum)
        end
      end
      """
    try Data(lines.utf8).write(to: script)
    let wrk = Process()
    let output = Pipe()
    wrk.executableURL = URL(filePath: "/usr/bin/env")
    wrk.arguments = [
      "wrk", "--threads", "1", "--connections", "\(connections)",
      "--duration", "\(max(Int(desk.seconds.rounded(.up)), 1))s",
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
}
