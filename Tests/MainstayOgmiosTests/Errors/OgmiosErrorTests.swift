// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayOgmios
import TestSupport
import Testing

@Suite struct OgmiosErrorTests {
  private func value(_ json: String) throws -> JSONValue {
    try #require(JSONValue(json: Data(json.utf8)))
  }

  @Test(.requirement("D1")) func `there are seven kinds`() {
    #expect(
      OgmiosError.Kind.allCases.map(\.rawValue) == [
        "http", "websocket", "response", "invalidResponse", "timeout", "invalidFormat",
        "invalidMethod",
      ])
  }

  @Test(.requirement("D9", "T14")) func `the number never comes from a text`() {
    let text = "Connection to 127.0.0.1:1337 lost after 2003 ms"
    let error = OgmiosError(code: 3005, message: text, method: "submitTransaction")
    #expect(error.code == 3005)
    #expect(error.appError.code == "ogmios.3005")
    #expect(error.appError.metadata["ogmios.code"] == "3005")
  }

  @Test(.requirement("D4")) func `a number that nobody knows keeps everything`() throws {
    let data = try value(#"{"x":18446744073709551615}"#)
    let error = OgmiosError(code: 3999, message: "Old.", data: data, method: "submitTransaction")
    #expect(error.entry == nil)
    #expect(error.advice == nil)
    #expect(error.data == data)
    let app = error.appError
    #expect(app.code == "ogmios.3999")
    #expect(app.disposition == .unclassified)
    #expect(app.metadata["server.message"] == "Old.")
    #expect(!app.title.isBlank && !app.message.isBlank)
  }

  @Test func `numbers below zero have a code too`() {
    let error = OgmiosError(code: -32602, message: "x", method: "submitTransaction")
    #expect(error.appError.code == "ogmios.minus-32602")
    #expect(
      OgmiosError(code: .min, message: "", method: "x").appError.code.rawValue
        == "ogmios.minus-9223372036854775808")
  }

  @Test(.requirement("D8")) func `failures of scripts are kept whole, one for each script`() throws
  {
    let data = try value(
      """
      [{"validator":{"index":0,"purpose":"spend"},"error":{"code":3012,"message":"no",
        "data":{"validationError":"boom","traces":["a"]}}},
       {"validator":"mint:1","error":{"code":3011,"message":"gone","data":{"missingScripts":[]}}},
       {"validator":{"index":2,"purpose":"withdraw"},"error":{"code":3161,"message":"budget",
        "data":{"budgetUsed":{"memory":18446744073709551616,"cpu":1}}}},
       {"validator":"spend:9","error":{"code":9999,"message":"new"}}, 17, {"error":5}]
      """)
    let error = OgmiosError(code: 3010, message: "x", data: data, method: "evaluateTransaction")
    #expect(error.failures.map(\.validator) == ["spend:0", "mint:1", "withdraw:2", "spend:9"])
    #expect(error.failures.map(\.error.code) == [3012, 3011, 3161, 9999])
    #expect(error.failures[2].error.data?["budgetUsed"]?["memory"] != nil)
    #expect(error.appError.underlying.count == 4)
    #expect(error.appError.disposition == .permanent)
    #expect(error.data?.array?.count == 6)
  }

  @Test func `what is only tried out was not sent, whatever its inputs are`() throws {
    let data = try value(#"[{"validator":"spend:0","error":{"code":3117,"message":"spent"}}]"#)
    let error = OgmiosError(code: 3010, message: "x", data: data, method: "evaluateTransaction")
    let nested = try #require(error.failures.first?.error)
    #expect(nested.advice == .fix)
    #expect(nested.appError.disposition == .permanent)
    #expect(nested.appError.title.description == "The inputs can’t be spent")
    let sent = OgmiosError(code: 3117, message: "", method: "submitTransaction")
    #expect(sent.appError.disposition == .unknownOutcome)
  }

  @Test(.requirement("D7", "D10")) func `a view that ran out is worth another try`() {
    let error = OgmiosError(code: 2003, message: "x", method: "queryLedgerState/epoch")
    #expect(error.appError.disposition == .transient())
    #expect(OgmiosError(code: 2002, message: "", method: "x").appError.disposition == .permanent)
    #expect(OgmiosError(code: 2001, message: "", method: "x").appError.disposition == .transient())
  }

  @Test func `a server that stumbles over a transaction may have passed it on`() {
    func disposition(_ method: String) -> Disposition {
      OgmiosError(code: -32603, message: "x", method: method).appError.disposition
    }
    #expect(disposition("submitTransaction") == .unknownOutcome)
    #expect(disposition("evaluateTransaction") == .transient())
    let error = OgmiosError(code: -32603, message: "x", method: "submitTransaction").appError
    #expect(error.suggestion == AppError.timeout().with(disposition: .unknownOutcome).suggestion)
  }

  @Test func `secrets in the words of a server are not passed on`() {
    let error = OgmiosError(
      code: 3997, message: "password=hunter2secret for bob@example.com", method: "submitTransaction"
    )
    for secret in ["bob@example.com", "hunter2secret"] {
      #expect(!error.description.contains(secret))
      #expect(error.appError.metadata["server.message"]?.contains(secret) == false)
    }
    #expect(error.localizedDescription == error.appError.message.description)
  }
}
