// SPDX-License-Identifier: Apache-2.0

import MainstayServer
import Testing

/// The settings of connections.
@Suite struct ConnectionLimitsTests {
  @Test func `limits that are none are not taken`() async {
    await #expect(processExitsWith: .failure) { _ = ConnectionLimits(request: .zero) }
    await #expect(processExitsWith: .failure) { _ = ConnectionLimits(idle: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = ConnectionLimits(answer: .zero) }
  }
}
