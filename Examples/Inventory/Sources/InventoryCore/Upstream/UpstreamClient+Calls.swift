// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
internal import MainstayHTTP

/// What became of a write on a twin.
package enum TwinWrite: Sendable, Hashable {
  /// It was applied; nil where a deletion found nothing.
  case applied(Twin?)
  /// Another version is there, or none: the document, where there is one.
  case stale(Twin?)
}

extension UpstreamClient {
  private typealias Request = ResilientClient.Request

  /// Looks a book up, a few times where that may help; nil where the catalog does not know it.
  ///
  /// - Throws: `AppError`.
  package func book(_ isbn: String) async throws(AppError) -> Book? {
    try await find("/books/\(isbn)", over: lookups)
  }

  /// Looks a book up once, for the queue.
  func queuedBook(_ isbn: String) async throws(AppError) -> Book? {
    try await find("/books/\(isbn)", over: queuedLookups)
  }

  /// Asks one of the features that need the network.
  package func feature(_ name: String, subject: String) async throws(AppError) -> FeatureAnswer {
    let path: HTTPPath = "/features/\(name)"
    return try await document(Request(.get, path.query(["subject": subject])), over: lookups)
  }

  /// The twin; nil where there is none.
  package func twin(_ id: UUID) async throws(AppError) -> Twin? {
    try await find("/twins/\(id.text)", over: reads)
  }

  /// The changes after a cursor; all of them without one.
  package func changes(since cursor: String?) async throws(AppError) -> TwinChanges {
    let path: HTTPPath = "/twins"
    return try await document(Request(.get, path.query(["since": cursor ?? ""])), over: reads)
  }

  /// What a write with this key did; nil where it was not applied.
  package func effect(of key: IdempotencyKey) async throws(AppError) -> Effect? {
    try await find("/effects/\(key)", over: reads)
  }

  /// Puts a twin if it is at a version, or if none is there.
  package func put(
    _ id: UUID, _ body: Data, ifVersion version: Int?, key: IdempotencyKey
  ) async throws(AppError) -> TwinWrite {
    var request = Request(
      .put, "/twins/\(id.text)", body: .bytes(body, contentType: "application/json"), key: key)
    if let version {
      request.headers["If-Match"] = "\"\(version)\""
    } else {
      request.headers["If-None-Match"] = "*"
    }
    do throws(AppError) {
      return .applied(try await document(request, over: writes))
    } catch  where error.kind == .conflict {
      let current = error.problem?.extensions["current"]
      return .stale(current.flatMap { try? $0.decode(as: Twin.self) })
    }
  }

  /// Deletes a twin; what is gone already is deleted.
  package func delete(_ id: UUID, key: IdempotencyKey) async throws(AppError) -> TwinWrite {
    do throws(AppError) {
      return .applied(
        try await document(Request(.delete, "/twins/\(id.text)", key: key), over: writes))
    } catch  where error.httpStatus == 404 || error.httpStatus == 410 {
      return .applied(nil)
    }
  }

  /// Uploads a photo in parts, from where an earlier run stopped.
  package func upload(
    _ id: UUID, type: String, bytes: Data, key: IdempotencyKey
  ) async throws(AppError) {
    // The first request only asks how far an earlier run has come.
    var (range, part) = ("bytes */\(bytes.count)", Data())
    for _ in 0...(bytes.count / settings.photoPartBytes + 10) {
      var request = Request(
        .put, "/twins/\(id.text)/photo", body: .bytes(part, contentType: type), key: key)
      request.headers["Content-Range"] = range
      let answer = try await send(request, over: writes)
      guard answer.status == 202 else { return }
      let received = try decoded(answer, of: UploadProgress.self, over: writes).received
      guard (0..<bytes.count).contains(received) else { throw .portal() }
      let end = min(received + settings.photoPartBytes, bytes.count)
      part = Data(bytes.dropFirst(received).prefix(end - received))
      range = "bytes \(received)-\(end - 1)/\(bytes.count)"
    }
    throw .http(status: 503, isRepeatable: true)
  }
}

// Each failure on the way is told in the words of the app.
extension UpstreamClient {
  /// What is there; nil where the service does not have it.
  private func find<Document: Decodable>(
    _ path: HTTPPath, over client: ResilientClient
  ) async throws(AppError) -> Document? {
    do throws(AppError) {
      return try await document(Request(.get, path), over: client)
    } catch  where error.httpStatus == 404 {
      return nil
    }
  }

  private func document<Document: Decodable>(
    _ request: Request, over client: ResilientClient
  ) async throws(AppError) -> Document {
    try decoded(try await send(request, over: client), over: client)
  }

  private func send(
    _ request: Request, over client: ResilientClient
  ) async throws(AppError) -> ResilientClient.Response {
    do { return try await client.send(request) } catch { throw error.inWords }
  }

  private func decoded<Document: Decodable>(
    _ answer: ResilientClient.Response, of type: Document.Type = Document.self,
    over client: ResilientClient
  ) throws(AppError) -> Document {
    do { return try client.decoded(answer) } catch { throw error.inWords }
  }
}
