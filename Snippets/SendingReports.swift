// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about HTTP: what a service answered, and reports on their way to one.

import Foundation
import Mainstay
import MainstayHTTP

func toSentry(_ dsn: String, at folder: URL) throws -> ReportStore {
  let transport = URLSessionReportTransport(to: .sentry(try SentryDSN(dsn)))
  return ReportStore(at: folder, replies: .sentry, transport: transport)
}

func checked(_ status: Int, _ headers: [String: String], _ body: Data) throws -> Data {
  guard (200...299).contains(status) else {
    throw HTTPError(
      status: status, method: "POST", url: "https://api.example.com/items", headers: headers,
      body: body, hasIdempotencyKey: true)
  }
  return body
}

func refused() -> Data {
  var problem = ProblemDetails(title: "The scan can’t be used", status: 422)
  problem.fieldErrors = [.init(pointer: "/barcode", detail: "The check digit is wrong.")]
  return problem.encoded
}
