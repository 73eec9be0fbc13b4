// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

extension ConflictStateMachineTests {
  @Test func `a machine survives on a disk, in each of its phases`() throws {
    var heard = sending()
    _ = heard.received(version("3"), policy: Thing.policy, at: Self.start)
    for machine in [machine(), edited(), sending(), heard, try conflicted().machine] {
      let back = try JSONDecoder().decode(Machine.self, from: JSONEncoder().encode(machine))
      #expect(back == machine)
    }
  }

  @Test(arguments: ["settled", "pending", "sending", "conflicted"])
  func `parts that do not fit together are an error`(phase: String) throws {
    for machine in [machine(), edited(), sending(), try conflicted().machine]
    where machine.phase.rawValue != phase {
      let text = String(decoding: try JSONEncoder().encode(machine), as: UTF8.self)
        .replacing(#""phase":"\#(machine.phase.rawValue)""#, with: #""phase":"\#(phase)""#)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(Machine.self, from: Data(text.utf8))
      }
    }
  }

  @Test func `a thousand merges in a row can be kept`() throws {
    let text = String(decoding: try JSONEncoder().encode(machine()), as: UTF8.self)
      .replacing(#""merges":0"#, with: #""merges":1000"#)
    #expect(try JSONDecoder().decode(Machine.self, from: Data(text.utf8)).merges == 1000)
  }

  @Test(arguments: ["-1", "1001", "1e99", "\"x\""])
  func `a count that is none is an error`(merges: String) throws {
    let text = String(decoding: try JSONEncoder().encode(machine()), as: UTF8.self)
      .replacing(#""merges":0"#, with: #""merges":\#(merges)"#)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Machine.self, from: Data(text.utf8))
    }
  }
}
