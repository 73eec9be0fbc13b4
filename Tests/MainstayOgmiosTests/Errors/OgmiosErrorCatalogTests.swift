// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayJSONRPC
import MainstayOgmios
import TestSupport
import Testing

@Suite struct OgmiosErrorCatalogTests {
  private static let advices: [String: OgmiosAdvice] = [
    "R": .retry, "A": .acquire, "W": .wait, "F": .fix, "C": .repair, "S": .askOperator,
    "?": .checkOutcome, "W/F": .waitOrFix,
  ]

  @Test(.requirement("D4", "D7", "D8", "D20"), arguments: ErrorCatalogTable.rows)
  func `each number of the schema is told as the reference tells it`(
    row: ErrorCatalogTable.Row
  ) throws {
    let entry = try #require(OgmiosErrorCatalog.entry(for: row.code))
    #expect(entry.name == row.name)
    #expect(entry.advice == Self.advices[row.act])
    // The reasons of each era stand for themselves.
    if row.code != -32602 { #expect(entry.fields == row.fields) }
    #expect(entry.help?.host() == "ogmios.dev")
  }

  @Test(.requirement("D8")) func `the schema has 92 numbers, and JSON-RPC six more`() {
    #expect(ErrorCatalogTable.rows.count == 92)
    #expect(OgmiosErrorCatalog.entries.count == 98)
    let known = Set(ErrorCatalogTable.rows.map(\.code))
    let others = OgmiosErrorCatalog.entries.map(\.code).filter { !known.contains($0) }
    #expect(others == [-32700, -32603, -32601, -32600, -32001, -32000])
  }

  @Test(
    .requirement("D10"),
    arguments: [
      (OgmiosAdvice.retry, Disposition.transient()), (.acquire, .transient()),
      (.wait, .transient()),
      (.fix, .permanent), (.repair, .permanent), (.askOperator, .permanent),
      (.waitOrFix, .permanent), (.checkOutcome, .unknownOutcome),
    ])
  func `advice becomes what policies do`(advice: OgmiosAdvice, disposition: Disposition) {
    #expect(advice.disposition == disposition)
  }

  @Test func `a transaction that is too early may wait, one that is too late is fixed`() throws {
    func disposition(_ data: String) throws -> Disposition {
      let data = try #require(JSONValue(json: Data(data.utf8)))
      return OgmiosError(code: 3118, message: "", data: data, method: "submitTransaction")
        .appError.disposition
    }
    let early = #"{"validityInterval":{"invalidBefore":140},"currentSlot":100}"#
    #expect(try disposition(early) == .transient(retryAfter: .seconds(40)))
    let late = #"{"validityInterval":{"invalidBefore":1,"invalidAfter":90},"currentSlot":100}"#
    #expect(try disposition(late) == .permanent)
    #expect(try disposition(#"{"currentSlot":100}"#) == .permanent)
    #expect(try disposition("[]") == .permanent)
    #expect(
      try disposition(#"{"validityInterval":{"invalidBefore":"x"},"currentSlot":1}"#)
        == .permanent)
  }

  @Test func `a slot that is not known yet may wait, one that never comes is fixed`() {
    func advice(_ slot: String) -> OgmiosAdvice? {
      let data = JSONValue(json: Data(#"{"unforeseeableSlot":\#(slot)}"#.utf8))
      return OgmiosErrorCatalog.advice(for: 3130, data: data)
    }
    #expect(advice("150000000") == .wait)
    #expect(advice("1700000000000") == .fix)
    #expect(advice("18446744073709551616") == .fix)
    #expect(advice("null") == .fix)
  }

  @Test(.requirement("D10")) func `the catalogue serves any client of JSON-RPC`() throws {
    let catalog = OgmiosErrorCatalog.catalog
    #expect(catalog.entries.count == 98)
    #expect(catalog[2003]?.disposition == .transient())
    #expect(catalog[3117]?.disposition == .unknownOutcome)
    #expect(catalog[-32603]?.mayHaveTakenEffect == true)
    let json = try JSONEncoder().encode(catalog)
    #expect(try JSONRPCErrorCatalog(json: json) == catalog)
  }
}
