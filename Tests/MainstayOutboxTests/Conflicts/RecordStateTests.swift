// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

@Suite(.requirement("C21")) struct RecordStateTests {
  @Test func `a state comes from JSON, and goes back to it`() throws {
    let states: [RecordState<Int>] = [.present(3), .deleted, .missing]
    let json = try JSONEncoder().encode(states)
    #expect(String(decoding: json, as: UTF8.self) == #"[{"present":3},"deleted","missing"]"#)
    #expect(try JSONDecoder().decode([RecordState<Int>].self, from: json) == states)
    #expect(states.map(\.record) == [3, nil, nil])
  }

  @Test(arguments: [#""gone""#, "{}", "3", "null", #"{"present":"x"}"#])
  func `anything else is an error`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RecordState<Int>.self, from: Data(json.utf8))
    }
  }
}
