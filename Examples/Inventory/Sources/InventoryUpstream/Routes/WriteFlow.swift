// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// What the head of a write says.
struct WriteDraft {
  let precondition: Precondition
  private let key: String
  private let twin: String
  private let isDeduped: Bool

  /// Reads the head.
  ///
  /// - Throws: `Problem` when the key is missing, or when the address or a header is wrong.
  init(_ request: Request, _ context: UpstreamContext) throws {
    twin = try context.twinID()
    guard let key = request.idempotencyKey else { throw Problem.keyMissing }
    self.key = key
    precondition = try Precondition(
      ifMatch: request.headers[.ifMatch], ifNoneMatch: request.headers[.ifNoneMatch])
    isDeduped = context.plan.isDeduped
  }

  func write(_ change: Write.Change, _ bytes: [UInt8]) -> Write {
    Write(
      key: key, twin: twin, change: change, bodyHash: BodyHash(of: bytes), isDeduped: isDeduped)
  }
}

/// The way of every write: take its key, make it, give the key back, answer.
struct WriteFlow: Sendable {
  let store: UpstreamStore
  let faults: FaultControl

  func perform(_ write: Write, _ context: UpstreamContext) async throws -> Response {
    let plan = context.plan
    switch try await store.claim(write, retryAfter: plan.retryAfter) {
    case .refuse(let problem):
      throw problem
    case .replay(let effect):
      try await faults.wait(plan)
      return try answer(effect, isReplayed: true)
    case .make:
      switch try await make(write, plan) {
      case .made(let effect): return try answer(effect, isReplayed: false)
      case .partial(let progress): return try answer(progress)
      }
    }
  }

  private func make(_ write: Write, _ plan: FaultPlan) async throws -> UpstreamStore.Outcome {
    let outcome: UpstreamStore.Outcome
    do {
      try await faults.wait(plan)
      outcome = try await store.commit(write)
    } catch {
      await store.release(write)
      throw error
    }
    await store.release(write)
    return outcome
  }

  private func answer(_ effect: Effect, isReplayed: Bool) throws -> Response {
    var headers: HTTPFields = [:]
    if isReplayed { headers[.idempotentReplayed] = "true" }
    let status = HTTPResponse.Status(code: effect.status)
    if let photo = effect.photo {
      headers[.eTag] = "\"\(photo.bodyHash.text)\""
      return try .json(photo, status, headers: headers)
    }
    headers[.eTag] = effect.document?.tag
    return try .json(effect.document, status, headers: headers)
  }

  private func answer(_ progress: UploadProgress) throws -> Response {
    var headers: HTTPFields = [:]
    if progress.received > 0 { headers[.range] = "bytes=0-\(progress.received - 1)" }
    return try .json(progress, .accepted, headers: headers)
  }
}
