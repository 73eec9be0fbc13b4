// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTestSupport
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

@Suite struct URLSessionReportTransportTests {
  private let conformance = TransportConformance { endpoint, limit, clock in
    URLSessionReportTransport(to: endpoint, timeout: limit, clock: clock)
  }

  @Test(
    .requirement("B42", "D21"), .ends(withinMinutes: 2),
    arguments: TransportConformance.Promise.allCases)
  func `it keeps to what every transport must`(_ promise: TransportConformance.Promise) async throws
  {
    try await conformance.check(promise)
  }

  @Test(
    .requirement("B42", "A36", "D21", "C22"), .ends(withinMinutes: 2),
    arguments: ReportJourney.Course.allCases)
  func `no report is lost on its way, and none comes twice`(
    _ course: ReportJourney.Course
  ) async throws {
    let journey = ReportJourney { endpoint, limit, clock in
      URLSessionReportTransport(to: endpoint, timeout: limit, clock: clock)
    }
    try await journey.check(course)
  }
}
