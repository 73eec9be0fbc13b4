// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation

/// The dashboard's list of many dead letters in a file, as a browser asks for it.
struct Letters {
  private static let count = 10_000
  private static let asked = 100

  /// The program whose dashboard is asked.
  let program: String

  func measure(_ desk: Desk, into table: inout Table) throws {
    desk.say("dead letters")
    let folder = desk.place.appending(path: "letters")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let arguments = ["\(Self.count)", "5000", folder.path]
    let times = try Served.run(program, arguments) { address, _ in
      try (0..<Self.asked).map { _ in try ask(address) }
    }
    table.add(
      "a page of 10,000 dead letters, 95 of 100", times.sorted()[Self.asked * 95 / 100] * 1_000,
      "ms", atMost: 100)
  }

  /// How long one page takes, in seconds, with the connection for it.
  private func ask(_ address: String) throws -> Double {
    let (page, seconds) = try Served.page("\(address)/mainstay/outboxes/orders/dead")
    guard page.contains("10\u{202F}000 operations were given up.") else {
      throw Refused(answer: page)
    }
    return seconds
  }
}
