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
/// | no token | it cannot be had without a person | refused, until somebody signs in |
/// | refused | something has changed | no token |
struct AuthorizationStateMachine: Sendable {
  /// A token, and which one it is.
  struct Ticket: Sendable, Equatable {
    let token: String
    let generation: Int
  }

  enum Step: Sendable {
    case use(Ticket)
    /// Ask for a token in place of this one; all who are told the same generation share the answer.
    case refresh(old: String?, generation: Int)
    case refuse(AppError)
  }

  private enum State: Sendable {
    case none
    case valid(String)
    case refused(AppError)
  }

  private var state: State
  private var old: String?
  private var generation = 0

  init(token: String?) { state = token.map { .valid($0) } ?? .none }

  /// What a request does first.
  func step() -> Step {
    switch state {
    case .none: .refresh(old: old, generation: generation)
    case .valid(let token): .use(Ticket(token: token, generation: generation))
    case .refused(let error): .refuse(error)
    }
  }

  /// The service did not take a token.
  mutating func refused(_ ticket: Ticket) {
    guard ticket.generation == generation, case .valid(let token) = state else { return }
    old = token
    generation += 1
    state = .none
  }

  /// A token has come for a generation; a late one changes nothing.
  mutating func refreshed(_ token: String, generation: Int) {
    guard generation == self.generation, case .none = state else { return }
    state = .valid(token)
  }

  /// A token could not be had.
  mutating func failed(_ error: AppError, generation: Int) {
    guard generation == self.generation, case .none = state else { return }
    state = .refused(error)
  }

  /// A token may be had again.
  mutating func askAgain() {
    guard case .refused = state else { return }
    generation += 1
    state = .none
  }

  /// A person signed in, or out where there is no token.
  mutating func reset(_ token: String?) {
    old = nil
    generation += 1
    state = token.map { .valid($0) } ?? .none
  }
}
