// SPDX-License-Identifier: Apache-2.0

import HTTPTestSupport
import MainstayHTTP
import TestSupport
import Testing

@Suite struct URLSessionTransportTests {
  @Test(
    .requirement("D10", "E14", "D6"), .ends(withinMinutes: 2),
    arguments: ClientConformance.Promise.allCases)
  func `a client over it keeps its promises`(_ promise: ClientConformance.Promise) async throws {
    try await ClientConformance(URLSessionTransport()).check(promise)
  }
}
