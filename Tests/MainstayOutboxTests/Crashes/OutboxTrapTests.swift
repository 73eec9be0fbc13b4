// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A worker that ends its process, which throws nothing and leaves nobody to count it.
@Suite(.requirement("O1"), .ends(withinMinutes: 5)) struct OutboxTrapTests {
  @Test func `an operation that traps is given up after three starts, and the others are done`()
    async throws
  {
    let folder = try TemporaryFolder()
    let arguments = ["trap", folder.url.path(percentEncoded: false)]
    for start in 1...3 {
      let end = try await BuiltProgram.run("OutboxCrashChild", arguments)
      // An illegal instruction or a trap, by the kind of processor.
      #expect([SIGILL, SIGTRAP].contains(end.status), "start \(start): \(end)")
      #expect(end.errors.contains("nobody thought of parcel 2"), "start \(start): \(end)")
    }
    for start in 4...5 {
      let end = try await BuiltProgram.run("OutboxCrashChild", arguments)
      #expect(end.status == 0, "start \(start): \(end)")
      #expect(
        end.output.split(separator: "\n") == [
          "done=5 balanced=true",
          "crashed: The app ended three times in a row while this ran. "
            + "It may have been done all the same: check before you try again.",
        ], "start \(start): \(end)")
    }
  }
}
