// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport

/// What a test that failed leaves behind, so that a failure that does not come again can be
/// explained all the same: who stood still, the app, the service, the driver or the browser.
enum Testimony {
  /// Asks everybody; whoever does not answer in time stood still.
  ///
  /// - Parameters:
  ///   - app: Where the app listens, and its process.
  ///   - service: Where the service listens.
  ///   - folder: Where the driver writes.
  /// - Returns: What they answered, and what the system knows of them.
  static func take(
    app: (address: Address, process: Int32), service: Address, folder: URL
  ) async -> String {
    let answers = await [
      answer(of: app.address, "/live"), answer(of: app.address, "/"),
      answer(of: app.address, "/public/icon.svg"), answer(of: app.address, "/api/status"),
      answer(of: service, "/control/faults"),
    ]
    let parts = [
      ("Answers", answers.joined(separator: "\n")),
      ("Connections of the app", connections(of: app.address.port)),
      ("Threads of the app", threads(of: app.process)),
      ("Stacks of the app", await stacks(of: app.process)),
      ("The driver", lastLines(of: folder.appending(path: "driver.log"))),
      ("The network of the browser", lastLines(of: folder.appending(path: "net.json"))),
    ]
    return parts.map { "\($0.0):\n\($0.1)" }.joined(separator: "\n\n")
  }

  private static func answer(of address: Address, _ path: String) async -> String {
    do {
      let answer = try await address.send("GET", path, limit: .seconds(5))
      let body = String(decoding: answer.body.prefix(1500), as: UTF8.self)
      return "\(path): \(answer.status), \(body)"
    } catch {
      return "\(path): \(error)"
    }
  }

  /// With the bytes that wait on each side: what was sent and is not taken, and what has come and
  /// is not read.
  private static func connections(of port: Int) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    let mark = ":" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    return lines(of: "/proc/net/tcp").filter { $0.contains(mark) }.joined(separator: "\n")
  }

  /// What each waits for, and how much it has worked.
  private static func threads(of process: Int32) -> String {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.sorted().map { thread in
      ["comm", "stat", "wchan", "syscall"]
        .map { lines(of: "\(folder)/\(thread)/\($0)").first ?? "" }.joined(separator: " | ")
    }.joined(separator: "\n")
  }

  private static func stacks(of process: Int32) async -> String {
    let gdb = "gdb -p \(process) -batch -ex 'thread apply all bt 20' 2>&1 | grep -v '^\\[New LWP'"
    let script = "command -v gdb >/dev/null || exit 0; timeout 60 \(gdb) | head -c 30000"
    do {
      return try await BuiltProgram.run(fromPath: "sh", ["-c", script]).output
    } catch {
      return "\(error)"
    }
  }

  private static func lastLines(of file: URL) -> String {
    lines(of: file.path).suffix(40).map { String($0.prefix(300)) }.joined(separator: "\n")
  }

  private static func lines(of path: String) -> [Substring] {
    // What stands in /proc has no size, so it is read to its end.
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else {
      return []
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }
}
