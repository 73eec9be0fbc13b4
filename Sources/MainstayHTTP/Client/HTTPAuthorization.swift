// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The sign-in of a client: adds the token to its requests, and asks for a new one when the service
/// no longer takes it, once for all requests that were refused.
///
/// ```swift
/// let authorization = HTTPAuthorization { old in try await accounts.freshToken(insteadOf: old) }
/// ```
///
/// A request that was refused is sent once more with the new token. Where no token can be had
/// without a person, requests fail at once with an error that says so, until ``signIn(_:)``, or
/// until ``askAgain()`` says that another attempt may be worth it.
///
/// Where the service does not take a new token either, the next one is asked for 30 seconds later
/// at the earliest. Until then that token goes along, and what is refused fails at once. One that
/// no answer has taken for 30 seconds, such as in an outage, counts as new no more.
///
/// Who signs out takes along what was asked for until then: none of it is sent with the token of
/// the person who signs in next, whether it waits, is repeated or is under way. It ends with an
/// error that needs a person.
public final class HTTPAuthorization: Sendable {
  /// The header field that the token goes into.
  let field: String
  private let scheme: String
  private let state: Locked<AuthorizationStateMachine>
  private let refresh: @Sendable (_ old: String?) async throws -> String
  /// What asks for a token, by the generation that it is for; it goes on whoever waits for it.
  private let renewals = Locked<[Int: TokenRenewal]>([:])
  private let signInFeed = SignInFeed()
  /// Lets each caller wait, and leave, for itself.
  private let flights = Coalesce<Int>("authorization")

  /// Makes a sign-in.
  ///
  /// - Parameters:
  ///   - token: The token to begin with; nil, the default, to ask for one at the first request.
  ///   - field: The header field; `Authorization` by default.
  ///   - scheme: What stands before the token; `Bearer` by default, empty for nothing.
  ///   - refresh: Asks for a token in place of one that was refused, which is nil at first. It goes
  ///     through another client, or at least without this sign-in. It goes on where all requests
  ///     that wait for it are given up, and the next one takes its token: what renews a token may
  ///     do so once. An error that needs a person, or is permanent, ends all requests until
  ///     somebody signs in; after others, an unknown outcome included, it is tried again.
  public init(
    token: String? = nil, field: String = "Authorization", scheme: String = "Bearer",
    refresh: @escaping @Sendable (_ old: String?) async throws -> String
  ) {
    self.field = field
    self.scheme = scheme
    self.refresh = refresh
    state = Locked(AuthorizationStateMachine(token: token))
  }

  /// Has an element each time that somebody has signed in, or that another attempt may be worth it:
  /// ``signIn(_:)`` and ``askAgain()``.
  ///
  /// An outbox whose `signedIn` it is goes on then with what waited for that. Each use of this
  /// property begins a sequence of its own, which tells of what comes after. Several that come at
  /// once may be one. A token that is renewed without a person is no sign-in.
  public var signIns: AsyncStream<Void> { signInFeed.listen() }

  /// A person signed in: requests use this token from now on, those that wait included.
  ///
  /// Without a ``signOut()`` before it counts as the same person, who has signed in again.
  public func signIn(_ token: String) {
    reset(token)
    signInFeed.tell()
  }

  /// A person signed out: the next request asks for a token.
  ///
  /// What was asked for before ends with an error that needs a person, at the latest when it would
  /// be sent again. The answer to what is on its way still comes.
  public func signOut() { reset(nil) }

  /// Nobody waits any longer for what was asked for before: it may come late, or say that a person
  /// is needed who has just been there.
  private func reset(_ token: String?) {
    let generation = state.withLock { state in
      state.reset(token)
      return state.generation
    }
    let old = renewals.withLock { renewals in
      let old = renewals.filter { $0.key < generation }
      for key in old.keys { renewals[key] = nil }
      return old
    }
    for renewal in old.values { renewal.end(.success(nil)) }
  }

  /// Something has changed by which a token may be had that could not be had without a person, such
  /// as a sign-in elsewhere: the next request asks for one.
  ///
  /// A token that is there stays, and is renewed at once where the service refuses it.
  public func askAgain() {
    state.withLock { $0.askAgain() }
    signInFeed.tell()
  }

  /// Whose turn it is, for a call that begins.
  var person: Int { state.withLock { $0.person } }

  /// The token for a request.
  ///
  /// - Parameter person: Whose turn it was when its call began.
  /// - Returns: The token, and whose it is.
  /// - Throws: Why there is none, and a refusal where somebody has signed out since.
  func ticket(for person: Int) async throws -> AuthorizationStateMachine.Ticket {
    while true {
      switch state.withLock({ $0.step(for: person) }) {
      case .use(let ticket): return ticket
      case .refuse(let error): throw error
      case .refresh(let old, let generation):
        let token = try await HeededLimit.enforce {
          try await flights.run(generation) { [self] in
            try await renewal(of: old, generation, person).token()
          }
        }
        // Somebody has signed out, or in, while it was waited for.
        guard let token else { continue }
        switch state.withLock({ $0.step(for: person) }) {
        case .use(let ticket): return ticket
        case .refuse(let error): throw error
        case .refresh:
          return AuthorizationStateMachine.Ticket(
            token: token, generation: generation, person: person)
        }
      }
    }
  }

  /// The question that is on its way, or a new one.
  private func renewal(of old: String?, _ generation: Int, _ person: Int) -> TokenRenewal {
    let (renewal, isNew) = renewals.withLock { renewals in
      if let renewal = renewals[generation] { return (renewal, false) }
      let renewal = TokenRenewal()
      renewals[generation] = renewal
      return (renewal, true)
    }
    guard isNew else { return renewal }
    Task {
      let result: Result<String?, any Error>
      do {
        result = .success(try await refreshed(old, generation, person))
      } catch {
        result = .failure(error)
      }
      // Known until here, so that nobody asks for the same once more.
      renewals.withLock { renewals in
        if renewals[generation] === renewal { renewals[generation] = nil }
      }
      renewal.end(result)
    }
    return renewal
  }

  private func refreshed(
    _ old: String?, _ generation: Int, _ person: Int
  ) async throws -> String {
    // Another flight may have ended between the question and this one, or somebody signed in.
    switch state.withLock({ $0.step(for: person) }) {
    case .use(let ticket): return ticket.token
    case .refuse(let error): throw error
    case .refresh: break
    }
    do {
      // The effect that a call is about is none of the sign-in's.
      let token = try await IdempotencyKey.$current.withValue(nil) {
        try await SendBook.current.withValue(nil) {
          try await NetworkUse.apart { try await refresh(old) }
        }
      }
      state.withLock { $0.refreshed(token, generation: generation) }
      return token
    } catch {
      if error.isCancellation { throw error }
      var failure = ErrorMapping.current.map(error)
      switch failure.disposition {
      case .needsUser: break
      case .permanent: failure = .unauthorized(cause: failure)
      case .unknownOutcome:
        // Of the sign-in alone: the request that waits for it has not been sent, and to ask for
        // another token does no harm.
        throw AppError.wire(
          .overloaded, wasSent: false, details: "Nobody knows what became of the sign-in",
          cause: failure)
      default: throw failure.adding(metadata: ["http.sent": "no"])
      }
      failure = failure.adding(metadata: ["http.sent": "no"])
      state.withLock { [failure] in $0.failed(failure, generation: generation) }
      throw failure
    }
  }

  /// The service did not take a token.
  ///
  /// - Parameters:
  ///   - ticket: The token.
  ///   - isAgain: Whether the same call has been refused with another one before.
  ///   - now: A reading of the client's clock.
  /// - Returns: Whether there is, or may be had, a token that it may take.
  func refused(
    _ ticket: AuthorizationStateMachine.Ticket, isAgain: Bool, at now: Duration
  ) -> Bool {
    state.withLock { $0.refused(ticket, isAgain: isAgain, at: now) }
  }

  /// The service took a token.
  func taken(_ ticket: AuthorizationStateMachine.Ticket) {
    guard !ticket.isTried else { return }
    state.withLock { $0.taken(ticket) }
  }

  /// Puts a token into the fields of a request.
  func sign(_ headers: inout HTTPHeaderFields, with ticket: AuthorizationStateMachine.Ticket) {
    headers[field] = scheme.isEmpty ? ticket.token : "\(scheme) \(ticket.token)"
  }

  /// Takes it out again, for a request that goes elsewhere.
  func unsign(_ headers: inout HTTPHeaderFields) { headers[field] = nil }
}
