// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What is known about the sign-in of a client: many requests that are refused at once ask for one
/// new token, and one that was refused with an older token takes the newer one.
///
/// | State | Event | Then |
/// |---|---|---|
/// | no token | a request | a token is asked for |
/// | a token | a request | it is used |
/// | a token | 401 for it | no token |
/// | a token | 401 for an older one | it is used |
/// | a token in place of a refused one, not taken yet | 401 for it, soon | the same, and a rest |
/// | a token in place of a refused one, not taken yet | 401 for it, later | no token |
/// | a token | 401 for it, to a call that has signed anew | the same |
/// | a token, in a rest | 401 for it | the same token |
/// | no token | it cannot be had without a person | refused, until somebody signs in |
/// | refused | something has changed | no token |
/// | any | a person has signed out | no token, for another person |
///
/// A rest is a while in which no token is renewed, as the last one was in vain. What comes within
/// as long a while is soon: later on, a token that no answer has taken, since the service was down,
/// may be over. What one person has asked for is refused once another one's turn has come, whatever
/// the state.
struct AuthorizationStateMachine: Sendable {
  /// A token, whose it is, and which one it is.
  struct Ticket: Sendable, Equatable {
    let token: String
    let generation: Int
    let person: Int
    /// Whether it is more than a guess: the service has taken it, or refused it once, or it was
    /// there from the start.
    var isTried = true
  }

  enum Step: Sendable {
    case use(Ticket)
    /// Ask for a token in place of this one; all who are told the same generation share the answer.
    case refresh(old: String?, generation: Int)
    case refuse(AppError)
  }

  private enum State: Sendable {
    case none
    case valid(String, isTried: Bool)
    case refused(AppError)
  }

  /// How long no token is renewed after one that was not taken either: long enough to be no burden,
  /// and short enough for the next token to be a new one.
  static let rest = Duration.seconds(30)

  /// Whose turn it is: a number that grows each time that somebody signs out.
  private(set) var person = 0
  private var state: State
  private var old: String?
  /// Which token is had, or asked for: a number that grows with each one.
  private(set) var generation = 0
  /// When the last token was refused that was renewed then; nil where there was none.
  private var renewedAt: Duration?
  /// When a rest began; nil where there was none since the last sign-in.
  private var restingSince: Duration?

  init(token: String?) { state = token.map { .valid($0, isTried: true) } ?? .none }

  /// What a request does first, by whose turn it was when that was asked for.
  func step(for person: Int) -> Step {
    guard person == self.person else {
      // Of this attempt alone: what became of others, the call knows.
      return .refuse(AppError.unauthorized().adding(metadata: ["http.sent": "no"]))
    }
    return switch state {
    case .none: .refresh(old: old, generation: generation)
    case .valid(let token, let isTried):
      .use(
        Ticket(token: token, generation: generation, person: person, isTried: isTried))
    case .refused(let error): .refuse(error)
    }
  }

  /// The service did not take a token.
  ///
  /// - Parameters:
  ///   - ticket: The token.
  ///   - isAgain: Whether the same call has been refused with another one before.
  ///   - now: A reading of the client's clock.
  /// - Returns: Whether there is, or may be had, a token that it may take.
  mutating func refused(_ ticket: Ticket, isAgain: Bool, at now: Duration) -> Bool {
    guard ticket.generation == generation, case .valid(let token, let isTried) = state else {
      return true
    }
    if isWithinRest(of: restingSince, at: now) { return false }
    if isAgain || !isTried && isWithinRest(of: renewedAt, at: now) {
      state = .valid(token, isTried: true)
      restingSince = now
      return false
    }
    old = token
    generation += 1
    state = .none
    renewedAt = now
    return true
  }

  /// The service took a token.
  mutating func taken(_ ticket: Ticket) {
    guard ticket.generation == generation, case .valid(let token, false) = state else { return }
    state = .valid(token, isTried: true)
  }

  /// A token has come for a generation; a late one changes nothing.
  mutating func refreshed(_ token: String, generation: Int) {
    guard generation == self.generation, case .none = state else { return }
    // The first one may come from where the app keeps it, and be over.
    state = .valid(token, isTried: old == nil)
  }

  /// A token could not be had.
  mutating func failed(_ error: AppError, generation: Int) {
    guard generation == self.generation, case .none = state else { return }
    state = .refused(error)
  }

  /// A token may be had again.
  mutating func askAgain() {
    restingSince = nil
    guard case .refused = state else { return }
    generation += 1
    state = .none
  }

  /// A person signed in, or out where there is no token: then the next one's turn has come.
  mutating func reset(_ token: String?) {
    old = nil
    generation += 1
    restingSince = nil
    state = token.map { .valid($0, isTried: true) } ?? .none
    if token == nil { person += 1 }
  }

  /// Clients of one sign-in may have several clocks, whose readings say nothing about each other.
  private func isWithinRest(of start: Duration?, at now: Duration) -> Bool {
    guard let start else { return false }
    return (start..<start + Self.rest).contains(now)
  }
}
