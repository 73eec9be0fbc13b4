// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import MainstayOgmios
import Testing

/// How a place on the chain is kept.
@Suite struct OgmiosPointTests {
  private static let points: [OgmiosPoint] = [
    .origin, .block(slot: 0, id: String(repeating: "a0", count: 32)),
    .block(slot: .max, id: String(repeating: "f", count: 64)),
  ]

  @Test func `a place that was kept is the same again, in the form of Ogmios`() throws {
    for point in Self.points {
      let bytes = try JSONEncoder().encode(point)
      #expect(try JSONDecoder().decode(OgmiosPoint.self, from: bytes) == point)
      #expect(JSONValue(json: bytes) == point.json)
      #expect(try JSONDecoder().decode(OgmiosPoint.self, from: point.json.encoded) == point)
    }
    let all = try JSONEncoder().encode(Self.points)
    #expect(try JSONDecoder().decode([OgmiosPoint].self, from: all) == Self.points)
  }

  @Test(arguments: [
    "\"tip\"", "7", "null", "{}", #"{"slot":1}"#, #"{"id":"a"}"#, #"{"slot":-1,"id":"a"}"#,
    #"{"slot":"1","id":"a"}"#, "[]",
  ])
  func `what is no place is not read as one`(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(OgmiosPoint.self, from: Data(text.utf8))
    }
  }
}
