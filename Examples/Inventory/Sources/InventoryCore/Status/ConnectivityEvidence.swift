// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
package import MainstayHTTP

/// What real traffic says about the connection to the service; nothing else is asked.
package final class ConnectivityEvidence: Sendable {
  /// How the connection stands.
  package struct Reading: Sendable, Hashable, Codable {
    /// What the last requests came to.
    package enum State: String, Sendable, Hashable, Codable, CaseIterable {
      /// The service answered.
      case online
      /// The service could not be reached.
      case offline
      /// Something else answered, such as the sign-in page of a guest network.
      case portal
      /// Nothing was sent yet.
      case unknown
    }

    package let state: State
    /// What happened, in sentences.
    package let evidence: [String]
    /// Since when it is so.
    package let since: Timestamp
  }

  private struct Observed {
    var state = Reading.State.unknown
    var evidence: String
    var since: Timestamp
  }

  private let observed: Locked<Observed>
  private let changed: @Sendable (Reading.State) -> Void

  /// Nothing is known yet.
  ///
  /// - Parameters:
  ///   - start: When observing began.
  ///   - changed: Called with the new state when it is another one.
  package init(since start: Date, changed: @escaping @Sendable (Reading.State) -> Void = { _ in }) {
    observed = Locked(
      Observed(evidence: "Nothing was sent yet.", since: Timestamp(start)))
    self.changed = changed
  }

  /// How it stands now.
  package var reading: Reading {
    observed.withLock {
      Reading(state: $0.state, evidence: [$0.evidence], since: $0.since)
    }
  }

  /// Heeds one request that went out; one that somebody gave up says nothing.
  package func heard(_ exchange: HTTPExchange, at date: Date) {
    switch (exchange.status, exchange.error) {
    case (let status?, nil): answered(status, at: date)
    case (let status?, _?): foreign(status, at: date)
    case (nil, let error?) where !error.isCancellation: failed(error.inWords, at: date)
    default: break
    }
  }

  package func answered(_ status: Int, at date: Date) {
    note(.online, "The service answered with status \(status) on \(Timestamp(date).words).", date)
  }

  package func foreign(_ status: Int, at date: Date) {
    note(
      .portal,
      "Something else answered with status \(status) on \(Timestamp(date).words): "
        + "probably a page to sign in to the network.", date)
  }

  package func failed(_ error: AppError, at date: Date) {
    note(.offline, "\(error.message.description) That was on \(Timestamp(date).words).", date)
  }

  private func note(_ state: Reading.State, _ evidence: String, _ date: Date) {
    let isNew = observed.withLock { observed in
      observed.evidence = evidence
      guard observed.state != state else { return false }
      observed.state = state
      observed.since = Timestamp(date)
      return true
    }
    if isNew { changed(state) }
  }
}
