// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// What has come of an answer so far: what transports have in common, whichever library they use.
///
/// A status is the service's word, also where the rest of the answer is cut, breaks off or never
/// ends: what was accepted must not be sent again.
package final class ReportAnswer: Sendable {
  private struct Head {
    let status: Int
    let headers: [String: String]
  }

  private let state = Locked((head: Head?.none, body: Data()))

  /// The most bytes of a body that are read.
  package static let maximumBody = 64_000

  package init() {}

  /// The head of the answer has come.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - headers: Names in any case; of several with one name, the values are joined.
  package func began(status: Int, headers: HTTPHeaderFields) {
    var kept: [String: String] = [:]
    for field in headers.all {
      let (name, value) = (field.name.lowercased(), field.value)
      guard Self.headers.contains(name) else { continue }
      let joined = kept[name].map { $0 + ", " + value } ?? value
      kept[name] = BoundedText.cut(joined, to: 4_000)
    }
    state.withLock { $0.head = Head(status: status, headers: kept) }
  }

  /// A part of the body has come.
  ///
  /// - Parameter bytes: The part.
  /// - Returns: Whether more may come; false once there is enough.
  package func add(_ bytes: some DataProtocol) -> Bool {
    let part = Data(bytes.prefix(Self.maximumBody))
    return state.withLock { state in
      state.body.append(part.prefix(Self.maximumBody - state.body.count))
      return state.body.count < Self.maximumBody
    }
  }

  /// The reply; nil where no head has come.
  ///
  /// - Throws: `AppError` of a portal: what answered is a page or a redirection, so it is not the
  ///   service, and nothing was delivered.
  package func reply() throws(AppError) -> ReportStore.Reply? {
    let (head, body) = state.withLock { ($0.head, $0.body) }
    guard let head else { return nil }
    let fields = HTTPFields(head.headers)
    let isSuccess = (200...299).contains(head.status)
    if (300...399).contains(head.status) || head.status == 511 || isSuccess && fields.isPage {
      throw AppError.portal().adding(metadata: ["http.status": String(head.status)])
    }
    return ReportStore.Reply(
      status: head.status, headers: head.headers,
      rejected: isSuccess ? Self.rejected(fields, body) : 0)
  }

  /// What says when to come back, and why something was refused; cookies and the like are left out.
  private static let headers: Set<String> = [
    "content-type", "date", "ratelimit", "ratelimit-policy", "retry-after", "x-sentry-error",
    "x-sentry-rate-limits",
  ]

  /// How many records a collector of OTLP did not take.
  ///
  /// Source: OpenTelemetry Protocol, "Partial Success"; numbers of 64 bits are texts there.
  private static func rejected(_ fields: HTTPFields, _ body: Data) -> Int {
    guard fields.mediaType == "application/json",
      let count = JSONValue(json: body)?["partialSuccess"]?["rejectedLogRecords"]
    else { return 0 }
    return max(count.integer ?? count.string.flatMap { Int($0) } ?? 0, 0)
  }
}
