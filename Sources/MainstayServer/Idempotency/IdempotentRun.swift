// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPTypes
public import Mainstay
import Metrics

/// A request with a key that is being handled for the first time.
///
/// It is ended once, with what was answered or with a failure; what comes later changes nothing.
/// One that is dropped without an end has failed, so that the request may be made again, unless the
/// handler has returned (``handled(with:)``).
public final class IdempotentRun: Sendable {
  /// The key under which the handler works: made of the caller's and of who sends it, 64 visible
  /// letters, and the same for each repetition in all processes.
  public let key: IdempotencyKey

  private let store: any IdempotencyStore
  private let place: String
  private let claim: UInt64
  private let dropped: Set<HTTPField.Name>
  private let state = Locked(State())

  private struct State {
    var isOver = false
    /// What the handler has answered, of which the body may still be missing.
    var head: HTTPResponse?
  }

  init(
    _ key: IdempotencyKey, in store: any IdempotencyStore, at place: String, _ claim: UInt64,
    dropping dropped: Set<HTTPField.Name>
  ) {
    self.key = key
    self.store = store
    self.place = place
    self.claim = claim
    self.dropped = dropped
  }

  deinit {
    guard end() else { return }
    let (store, place, claim) = (store, place, claim)
    let answer = state.withLock(\.head).flatMap { isFinal($0) ? kept($0, nil) : nil }
    // mainstay:ignore MS203 -- where the store cannot be told, the claim ends with its time
    Task { try? await store.end(place, claim, with: answer) }
  }

  /// Says that the handler has returned, and that its body is made while it is sent.
  ///
  /// What it did is done, so a run that is dropped from here on, for want of a reader, ends with
  /// this head and no body: repetitions are refused with 409.
  ///
  /// - Parameter head: Status and fields.
  public func handled(with head: HTTPResponse) { state.withLock { $0.head = head } }

  /// Ends it with its answer, which is kept unless it asks to come back: 500 or more, 408, 425, 429
  /// and any other error with `Retry-After`.
  ///
  /// Where the store cannot keep the answer, the request stays begun: what was done is not done
  /// again, and repetitions are refused with 409 until the claim ends with its time.
  ///
  /// - Parameters:
  ///   - head: Status and fields.
  ///   - body: The body; nil where it is too large to be kept, or was not made to its end.
  public func end(with head: HTTPResponse, body: Data?) async {
    guard end() else { return }
    let answer = isFinal(head) ? kept(head, body) : nil
    // Its own task, or nobody could make the request again after a cancellation.
    let hasEnded = await Task { [store, place, claim] in
      do {
        try await store.end(place, claim, with: answer)
        return true
        // mainstay:ignore MS202 -- it is counted, and the caller has to hear that it was done
      } catch {
        return false
      }
    }.value
    if !hasEnded { Self.count("unkept") }
  }

  /// Ends it without an answer: the request may be made again.
  public func fail() async {
    guard end() else { return }
    await Task { [store, place, claim] in
      // What it failed with says more than a store that fails to forget the key.
      try? await store.end(place, claim, with: nil)
    }.value
  }

  /// - Returns: Whether it had not ended before.
  private func end() -> Bool {
    state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
  }

  private func isFinal(_ head: HTTPResponse) -> Bool {
    switch head.status.code {
    case 500...: false
    case 408, 425, 429: false
    case 400...: head.headerFields[.retryAfter] == nil
    default: true
    }
  }

  private func kept(_ head: HTTPResponse, _ body: Data?) -> StoredAnswer {
    let fields = head.headerFields.filter { !dropped.contains($0.name) }
    return StoredAnswer(
      status: head.status.code,
      fields: Dictionary(fields.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" },
      body: body)
  }

  static func count(_ outcome: String, _ times: Int = 1) {
    guard times > 0 else { return }
    Counter(label: "mainstay.server.idempotency", dimensions: [("outcome", outcome)])
      .increment(by: times)
  }
}
