// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// What waits is looked at anew by parts. Claims go on after the first ones, and do the rest.
extension PostgresStore {
  /// How many parts are done at once, before claims have their turn.
  private static let parts = 10

  /// Lets what a constraint holds back be looked at anew.
  ///
  /// The next claims make ready what may begin here: they alone say what does not hold.
  public func reconsider() async throws {
    _ = try owner
    state.withLock { $0.reconsidering = Self.beginning }
  }

  /// Makes ready at once whatever waits because the network could not be reached.
  public func expedite(unimportantAfter delay: Duration) async throws {
    state.withLock { $0.expediting = Expediting(delay: max(delay.milliseconds, 0)) }
    for _ in 0..<Self.parts { guard try await expeditePart() else { return } }
  }

  /// Goes on with what is looked at anew.
  ///
  /// - Parameter request: The claim that comes next.
  /// - Returns: Whether there is more; false also where it cannot be done now. The next claim tries
  ///   it again.
  func lookAnew(before request: ClaimRequest) async -> Bool {
    do {
      let isMoreHeld = try await reconsiderSome(before: request)
      let isMoreUnreached = try await expeditePart()
      return isMoreHeld || isMoreUnreached
      // mainstay:ignore MS202 -- the next claim tries it again
    } catch {
      return false
    }
  }

  /// Where what is held back begins.
  private static let beginning = "{}"

  /// Several parts at the beginning, and then one.
  private func reconsiderSome(before request: ClaimRequest) async throws -> Bool {
    let isNew = state.withLock { $0.reconsidering == Self.beginning }
    for _ in 0..<(isNew ? Self.parts : 1) {
      guard try await reconsiderPart(before: request) else { return false }
    }
    return true
  }

  /// - Returns: Whether there may be more.
  private func reconsiderPart(before request: ClaimRequest) async throws -> Bool {
    guard let after = state.withLock({ $0.reconsidering }) else { return false }
    let last = try await ask(
      "SELECT mainstay.reconsider($1::jsonb, $2::text[], $3::text[])::text",
      [
        .text(after), .texts(request.unmet.map(\.rawValue)),
        .texts(request.types.map { "\($0.kind.rawValue)/\($0.version)" }),
      ]
    ).text(ifAny: 0)
    return state.withLock { state in
      // Somebody may have begun it anew meanwhile.
      if state.reconsidering == after { state.reconsidering = last }
      return state.reconsidering != nil
    }
  }

  private func expeditePart() async throws -> Bool {
    guard let part = state.withLock({ $0.expediting }) else { return false }
    let row = try await ask(
      "SELECT after, id FROM mainstay.expedite($1, $2, $3, $4::integer, $5::bigint)",
      [
        .int(part.time), .int(part.id), .int(part.delay),
        .int(Int64(OperationPriority.normal.rawValue)), time,
      ])
    var next: Expediting?
    if let time = try row.int(ifAny: 0) {
      next = Expediting(time: time, id: try row.int(1), delay: part.delay)
    }
    return state.withLock { state in
      if state.expediting == part { state.expediting = next }
      return state.expediting != nil
    }
  }
}
