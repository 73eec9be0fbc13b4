// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// PostgreSQL's states, written out again: what happened and what may be done.
private let states: [(kind: ErrorKind, disposition: Disposition, states: [String])] = [
  (.conflict, .transient(), ["40001", "40P01", "40000", "55P03", "55006", "72000"]),
  (.network, .transient(), ["08000", "08003", "08006", "08001", "08004"]),
  (.unknown, .unknownOutcome, ["08007", "40003"]),
  (.decoding, .permanent, ["08P01", "00000", "01000", "02000"]),
  (.timeout, .transient(), ["57014", "25P03", "25P04", "57P05"]),
  (.server, .transient(), ["57P01", "57P02", "57P03", "25006"]),
  (.exhausted, .transient(), ["53000", "53100", "53200", "53300", "53400"]),
  (.storage, .transient(), ["58030"]),
  (.conflict, .permanent, ["23505"]),
  (
    .validation, .permanent,
    ["23502", "23503", "23514", "23P01", "22001", "22P02", "22012", "44000", "54000", "40002"]
  ),
  (.denied, .permanent, ["42501"]),
  (
    .configuration, .permanent,
    [
      "28000", "28P01", "3D000", "3F000", "42601", "42P01", "25P02", "26000", "57P04", "58P01",
      "XX000", "F0000", "HV00N", "2BP01",
    ]
  ),
  (.corrupted, .permanent, ["XX001", "XX002"]),
  (.server, .permanent, ["0A000"]),
  (.server, .unclassified, ["P0001", "ZZ999", "99999"]),
]

@Suite struct DatabaseErrorTests {
  @Test(.requirement("B14"), arguments: states.indices)
  func `each state of SQL has its row`(_ index: Int) {
    let row = states[index]
    for state in row.states {
      let error = AppError.sql(state: state, isRepeatable: true)
      #expect(error.kind == row.kind, "\(state)")
      #expect(error.disposition == row.disposition, "\(state)")
      #expect(error.code.rawValue == "sql." + state.lowercased())
      #expect(error.sqlState == state)
    }
  }

  @Test(arguments: ["08000", "08006", "57P01", "57P02"])
  func `a connection that broke leaves the outcome unknown`(_ state: String) {
    let error = AppError.sql(state: state, isRepeatable: false)
    #expect(error.disposition == .unknownOutcome)
    #expect(error.title.string() == "We don’t know whether it worked")
    #expect(error.actions == [.checkOutcome, .dismiss])
  }

  @Test(arguments: ["08001", "08004", "57P03", "25006", "40001", "40P01", "53300", "57014"])
  func `what was never done or was undone may be done again`(_ state: String) {
    #expect(AppError.sql(state: state, isRepeatable: false).disposition == .transient())
  }

  @Test(arguments: ["", "4000", "400011", "4o001", "４0001", "40 01", "\u{0}0001", "40001\n"])
  func `what is no state is unclassified`(_ state: String) {
    let error = AppError.sql(state: state)
    #expect(error.disposition == .unclassified)
    #expect(error.code == "sql.other")
  }

  @Test(.requirement("B14")) func `each result of SQLite has its row`() {
    let rows: [(ErrorKind, Disposition, [Int])] = [
      (.storage, .transient(), [5, 261, 517, 6, 262, 15, 10, 266, 2_570]),
      (.exhausted, .transient(), [7]), (.cancelled, .cancelled, [9]),
      (.corrupted, .permanent, [11, 267, 26]), (.storageFull, .needsUser, [13]),
      (.denied, .needsUser, [3, 23]), (.storage, .needsUser, [8, 264, 14, 270]),
      (.validation, .permanent, [18, 19, 787, 1_555, 2_067, 20, 25]),
      (.configuration, .permanent, [1, 2, 17, 21, 22]),
      (.storage, .unclassified, [0, 4, 27, 100, 255, -1, .min]),
    ]
    for (kind, disposition, results) in rows {
      for result in results {
        let error = AppError.sqlite(result: result)
        #expect(error.kind == kind, "\(result)")
        #expect(error.disposition == disposition, "\(result)")
      }
    }
    #expect(AppError.sqlite(result: 2_067).code == "sqlite.19")
    #expect(!AppError.sqlite(result: .max).title.isBlank)
  }

  @Test(.requirement("B14")) func `each code of JSON-RPC has its row`() {
    for code in [-32_700, -32_600, -32_601] {
      #expect(AppError.jsonRPC(code: code).disposition == .permanent)
      #expect(AppError.jsonRPC(code: code).kind == .server)
    }
    #expect(AppError.jsonRPC(code: -32_602).kind == .validation)
    #expect(AppError.jsonRPC(code: -32_603, isRepeatable: true).disposition == .transient())
    #expect(AppError.jsonRPC(code: -32_603, isRepeatable: false).disposition == .unknownOutcome)
    for code in [-32_000, -32_099, 0, 3_117, .min, .max] {
      let error = AppError.jsonRPC(code: code, message: "why")
      #expect(error.disposition == .unclassified)
      #expect(error.serverCode == code)
      #expect(error.serverMessage == "why")
    }
    let codes: [(Int, ErrorCode)] = [
      (-32_000, "rpc.32000"), (-32_768, "rpc.32768"), (-32_769, "jsonrpc.minus-32769"),
      (-31_999, "jsonrpc.minus-31999"), (3_117, "jsonrpc.3117"), (0, "jsonrpc.0"),
      (32_602, "jsonrpc.32602"), (.min, "jsonrpc.minus-9223372036854775808"),
    ]
    for (number, code) in codes { #expect(AppError.jsonRPC(code: number).code == code) }
  }

  @Test(.requirement("B14"), arguments: [18, 19, 20, 25])
  func `nobody is told of a service where the database is on the device`(_ result: Int) {
    let error = AppError.sqlite(result: result)
    let english = Locale(identifier: "en")
    #expect(error.title.string(in: english) == "This can’t be saved")
    for language in ["en", "de", "es", "fr", "ja", "zh-Hans"] {
      let locale = Locale(identifier: language)
      let texts = [error.title, error.message, error.suggestion].compactMap {
        $0?.string(in: locale)
      }
      #expect(texts.count == 3)
      for word in ["ervice", "ienst", "ervicio", "サービス", "服务"] {
        #expect(!texts.joined().contains(word), "\(texts)")
      }
      let isTranslated = texts[0] != error.title.string(in: english)
      #expect(isTranslated == (language != "en"))
    }
  }
}
