// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// What became of a write on a twin.
package enum TwinWrite: Sendable, Hashable {
  /// It was applied; nil where a deletion found nothing.
  case applied(Twin?)
  /// Another version is there, or none: the document, where there is one.
  case stale(Twin?)
}

extension UpstreamClient {
  /// Looks a book up, a few times where that may help; nil where the catalog does not know it.
  ///
  /// - Throws: `AppError`.
  package func book(_ isbn: String) async throws(AppError) -> Book? {
    try await self.book(isbn, under: lookups)
  }

  /// Looks a book up once, for the queue.
  func queuedBook(_ isbn: String) async throws(AppError) -> Book? {
    try await self.book(isbn, under: queuedLookups)
  }

  private func book(_ isbn: String, under policy: any Policy) async throws(AppError) -> Book? {
    try await run(policy) {
      let answer = try await self.send(Call(path: "/books/\(isbn.pathPart)"))
      if !answer.isForeign, answer.status == 404 { return nil }
      return try answer.document(Book.self)
    }
  }

  /// Asks one of the features that need the network.
  package func feature(_ name: String, subject: String) async throws(AppError) -> FeatureAnswer {
    try await run(lookups) {
      try await self.send(
        Call(path: "/features/\(name.pathPart)?subject=\(subject.pathPart)")
      ).document(FeatureAnswer.self)
    }
  }

  /// The twin; nil where there is none.
  package func twin(_ id: UUID) async throws(AppError) -> Twin? {
    try await run(reads) {
      let answer = try await self.send(Call(path: "/twins/\(id.text)"))
      if !answer.isForeign, answer.status == 404 { return nil }
      return try answer.document(Twin.self)
    }
  }

  /// The changes after a cursor; all of them without one.
  package func changes(since cursor: String?) async throws(AppError) -> TwinChanges {
    try await run(reads) {
      try await self.send(Call(path: "/twins?since=\((cursor ?? "").pathPart)"))
        .document(TwinChanges.self)
    }
  }

  /// What a write with this key did; nil where it was not applied.
  package func effect(of key: IdempotencyKey) async throws(AppError) -> Effect? {
    try await run(reads) {
      let answer = try await self.send(Call(path: "/effects/\(key.rawValue.pathPart)"))
      if !answer.isForeign, answer.status == 404 { return nil }
      return try answer.document(Effect.self)
    }
  }

  /// Puts a twin if it is at a version, or if none is there.
  package func put(
    _ id: UUID, _ body: Data, ifVersion version: Int?, key: IdempotencyKey
  ) async throws(AppError) -> TwinWrite {
    try await run(writes) {
      var call = Call(method: "PUT", path: "/twins/\(id.text)", body: body)
      call.headers = ["Idempotency-Key": key.rawValue, "Content-Type": "application/json"]
      if let version {
        call.headers["If-Match"] = "\"\(version)\""
      } else {
        call.headers["If-None-Match"] = "*"
      }
      let answer = try await self.send(call)
      if answer.isConflict { return .stale(answer.problem?.current) }
      return .applied(try answer.document(Twin.self))
    }
  }

  /// Deletes a twin; what is gone already is deleted.
  package func delete(_ id: UUID, key: IdempotencyKey) async throws(AppError) -> TwinWrite {
    try await run(writes) {
      let answer = try await self.send(
        Call(
          method: "DELETE", path: "/twins/\(id.text)",
          headers: ["Idempotency-Key": key.rawValue]))
      let isGone = !answer.isForeign && [404, 410].contains(answer.status)
      return .applied(isGone ? nil : try answer.document(Twin.self))
    }
  }

  /// Uploads a photo in parts, from where an earlier run stopped.
  package func upload(
    _ id: UUID, type: String, bytes: Data, key: IdempotencyKey
  ) async throws(AppError) {
    var received = 0
    // The first request only asks how far an earlier run has come.
    var range = "bytes */\(bytes.count)"
    var part = Data()
    var turns = 0
    repeat {
      let (current, carried) = (range, part)
      let answer = try await run(writes) {
        var call = Call(method: "PUT", path: "/twins/\(id.text)/photo", body: carried)
        call.headers = [
          "Idempotency-Key": key.rawValue, "Content-Type": type, "Content-Range": current,
        ]
        let answer = try await self.send(call)
        try answer.check()
        return answer
      }
      guard answer.status == 202 else { return }
      received = try answer.document(UploadProgress.self).received
      guard (0..<bytes.count).contains(received) else { throw .portal() }
      let end = min(received + settings.photoPartBytes, bytes.count)
      part = Data(bytes.dropFirst(received).prefix(end - received))
      range = "bytes \(received)-\(end - 1)/\(bytes.count)"
      turns += 1
    } while turns <= bytes.count / settings.photoPartBytes + 10
    throw .http(status: 503)
  }

  private func run<T: Sendable>(
    _ policy: any Policy, _ operation: () async throws -> T
  ) async throws(AppError) -> T {
    do {
      return try await policy.run(operation)
    } catch {
      throw ErrorMapping.inventory.map(error)
    }
  }
}

extension UpstreamAnswer {
  /// Whether somebody else changed the twin; a key that is still at work is none.
  fileprivate var isConflict: Bool {
    guard status == 409 || status == 412 else { return false }
    return error.kind == .conflict
  }
}
