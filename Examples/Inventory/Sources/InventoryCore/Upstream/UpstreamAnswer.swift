// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// An answer of the service, before anybody trusts it.
struct UpstreamAnswer: Sendable {
  let status: Int
  let contentType: String
  let retryAfter: Duration?
  /// The limit that it announces.
  let limit: RateLimitPolicy?
  let range: String?
  let body: Data
  /// The session that the request was sent in.
  var session = 0

  /// Whether it can only come from something between here and the service, such as the login page
  /// of a guest network.
  var isForeign: Bool {
    let isJSON = contentType.hasPrefix("application/") && contentType.contains("json")
    switch status {
    case 200...299: return !isJSON
    case 300...399, 511: return true
    // A page instead of problem details does not say that the service knows nothing.
    case 404, 410: return contentType.hasPrefix("text/html")
    default: return false
    }
  }

  /// The document.
  ///
  /// - Throws: The error that the status stands for; `portal` where the answer is not its own.
  func document<Document: Decodable>(_ type: Document.Type) throws(AppError) -> Document {
    try check()
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch {
      throw .portal(cause: error)
    }
  }

  /// - Throws: The error that the status stands for; `portal` where the answer is not its own.
  func check() throws(AppError) {
    guard !isForeign else { throw .portal() }
    if !(200...299).contains(status) { throw error }
  }

  var problem: ProblemDocument? { try? JSONDecoder().decode(ProblemDocument.self, from: body) }

  /// The error that the status stands for.
  var error: AppError {
    let problem = problem
    let error = AppError.http(
      status: status, isRepeatable: true, retryAfter: retryAfter, problemType: problem?.type
    ).inSession(session)
    guard let detail = problem?.detail else { return error }
    return error.adding(metadata: ["http.problem-detail": String(detail.prefix(500))])
  }
}

/// Problem details of a service, of which only what can be read is taken.
///
/// Source: RFC 9457.
package struct ProblemDocument: Sendable, Decodable {
  package let type: String?
  package let title: String?
  package let detail: String?
  /// What is there instead, where a precondition failed.
  package let current: Twin?

  private enum CodingKeys: String, CodingKey {
    case type, title, detail, current
  }

  /// A member of another type counts as absent: an error must not hide behind its own document.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = try? container.decode(String.self, forKey: .type)
    title = try? container.decode(String.self, forKey: .title)
    detail = try? container.decode(String.self, forKey: .detail)
    current = try? container.decode(Twin.self, forKey: .current)
  }
}
