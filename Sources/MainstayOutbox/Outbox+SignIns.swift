// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What an outbox does with what is known about a sign-in.
enum SignInLink {
  /// Goes on with what waits for a person each time somebody has signed in.
  ///
  /// - Parameters:
  ///   - signIns: Has an element for each time.
  ///   - signedIn: Called for each.
  /// - Returns: What ends the following when it is cancelled.
  static func follow(
    _ signIns: some AsyncSequence<Void, Never> & Sendable,
    signedIn: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task { for await _ in signIns { await signedIn() } }
  }
}

extension Outbox {
  /// Goes on with all lanes that are closed for a cause, such as all in which a person was needed.
  ///
  /// Calls of this process that began before and are refused after it close none of them again.
  /// ``Configuration/signedIn`` does that by itself, for each sign-in.
  ///
  /// - Parameter cause: Why they are closed, such as `needsUser` after somebody has signed in.
  /// - Throws: ``OutboxError``.
  public func resumeAll(closedFor cause: LaneClosure.Cause) async throws(OutboxError) {
    // First: what is refused from here on was asked with what is no longer valid.
    if cause == .needsUser { await drainer.signedIn() }
    let before = cause == .needsUser ? await drainer.trials.lanes : []
    try await changing { try await $0.reopenAll(closedFor: cause) }
    for lane in before { await drainer.laneOpened(lane) }
  }

  /// The lanes that are closed for a cause.
  package func lanes(closedFor cause: LaneClosure.Cause) async throws(OutboxError) -> [Lane] {
    try await calling { try await $0.lanes(closedFor: cause) }
  }
}

extension OutboxStore {
  /// Finds the lanes by what waits in them, and asks what stands in its way.
  public func lanes(closedFor cause: LaneClosure.Cause) async throws -> [Lane] {
    if cause == .needsUser, try await snapshot().causes.laneNeedsUser == 0 { return [] }
    var (found, seen): ([Lane], Set<Lane>) = ([], [])
    var last: OperationID?
    while true {
      let page = try await operations(after: last, limit: 100)
      for operation in page where operation.state != .leased {
        guard seen.insert(operation.lane).inserted else { continue }
        let isClosed = try await obstacles(operation.id, unmet: [])?.contains { obstacle in
          if case .lane(operation.lane, cause, _) = obstacle { true } else { false }
        }
        if isClosed == true { found.append(operation.lane) }
      }
      guard let end = page.last?.id, page.count == 100 else { return found }
      last = end
    }
  }

  /// Opens all lanes that are closed for a cause.
  func reopenAll(closedFor cause: LaneClosure.Cause) async throws {
    for lane in try await lanes(closedFor: cause) { try await reopen(lane, closedFor: cause) }
  }
}

/// A store that leases one operation of a closed lane, where it is asked to try that out.
package protocol LaneTryingStore: OutboxStore {}
