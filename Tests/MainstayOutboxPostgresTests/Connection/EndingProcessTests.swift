// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// What becomes of sessions while their process ends.
@Suite(.ends(withinMinutes: 10))
struct EndingProcessTests {
  @Test func `sessions may be encrypted until their process is over`() async throws {
    let secure = try await SecureServer()
    let end = try await BuiltProgram.run("PostgresChild", ["end", secure.text()])
    #expect(end.status == 0, "\(end.errors)")
  }
}
