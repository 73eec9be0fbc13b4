// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTestSupport
import Mainstay
import MainstayAsyncHTTPClient
import TestSupport
import Testing

@Suite struct AsyncHTTPClientReportTransportTests {
  private let conformance = TransportConformance { endpoint, limit, clock in
    AsyncHTTPClientReportTransport(to: endpoint, timeout: limit, clock: clock)
  }

  @Test(
    .requirement("B42", "D21"), .ends(withinMinutes: 2),
    arguments: TransportConformance.Promise.allCases)
  func `it keeps to what every transport must`(_ promise: TransportConformance.Promise) async throws
  {
    try await conformance.check(promise)
  }
}
