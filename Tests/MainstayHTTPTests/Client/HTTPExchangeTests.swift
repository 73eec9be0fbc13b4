// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// What an exchange writes to a log.
@Suite struct HTTPExchangeTests {
  @Test func `a line has the code of what failed, and no field for what is not there`() async throws
  {
    let log = Log()
    let logger = log.logger { $0.pairs(without: "http.duration_ms") }
    let transport = ScriptedTransport { _, count in
      switch count {
      case 0: throw AppError.broken
      case 1: .json("", status: 500)
      default: .json("1")
      }
    }
    let books = try client(transport) { $0.log(to: logger) }
    #expect(try await books.get("/a", as: Int.self) == 1)
    let call = "http.method=GET"
    let place = "http.url=https://books.example/v1/a"
    #expect(
      log.lines == [
        " error.code=network.timeout http.attempt=1 \(call) \(place)",
        " error.code=http.500 http.attempt=2 \(call) http.status=500 \(place)",
        " http.attempt=3 \(call) http.status=200 \(place)",
      ])
  }

  @Test func `what failed is a warning, and so is the page of a portal`() async throws {
    let log = Log()
    let logger = log.logger { "\($0.level)" }
    let transport = ScriptedTransport { _, count in
      switch count {
      case 0: throw AppError.broken
      case 1: .json("", status: 503)
      case 2: .json("", status: 404)
      case 3: .page()
      default: .json("1")
      }
    }
    let books = try client(transport) { $0.log(to: logger) }
    for _ in 0..<2 {
      await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    }
    #expect(try await books.get("/a", as: Int.self) == 1)
    #expect(log.lines == ["warning", "warning", "debug", "warning", "debug"])
  }
}
