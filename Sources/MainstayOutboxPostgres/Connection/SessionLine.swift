// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What a caller asks a session for.
final class SessionRequest: Sendable {
  enum Work: Sendable {
    /// One statement with parameters.
    case query(String, [PostgresValue])
    /// Several statements without parameters.
    case script(String)
  }

  let work: Work
  /// How long it may take; nil for what is said for the session.
  let limit: Duration?
  /// The form in which the server answers, as libpq counts them: 0 for text, 1 for its own.
  let form: Int32
  let reply = Reply<Result<PostgresRows, PostgresError>>()
  private let cancelled = Locked(false)

  init(_ work: Work, within limit: Duration? = nil, isBinary: Bool = false) {
    self.work = work
    form = isBinary ? 1 : 0
    self.limit = limit?.clamped
  }

  /// Whether its caller wants no answer any more.
  var isCancelled: Bool { cancelled.withLock { $0 } }

  func cancel() { cancelled.withLock { $0 = true } }
}

/// What callers and the thread of a session tell each other.
final class SessionLine: Sendable {
  /// What the thread does next.
  enum Step {
    case answer(SessionRequest)
    case wait
    case end
  }

  private struct State {
    var requests: [SessionRequest] = []
    var isClosed = false
    /// Why the session is over.
    var ending: PostgresError?
    var isReusable = true
    var refusal: PostgresError?
  }

  let wakeFile = WakeFile()
  let notifications: AsyncStream<PostgresNotification>
  private let notes: AsyncStream<PostgresNotification>.Continuation
  private let state = Locked(State())

  init() {
    // Notices are hints: when nobody reads them, the newest are as good as all.
    (notifications, notes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_000))
  }

  /// Whether statements can be asked for.
  var isOpen: Bool { state.withLock { $0.ending == nil && !$0.isClosed } }

  /// Whether nothing is left behind, so that somebody else may go on with the session.
  var isReusable: Bool {
    state.withLock { $0.ending == nil && !$0.isClosed && $0.isReusable && $0.requests.isEmpty }
  }

  /// What the server said where it takes no changes.
  var refusal: PostgresError? { state.withLock { $0.refusal } }

  /// Whether the session has been told to end, or has ended.
  var isClosed: Bool { state.withLock { $0.isClosed || $0.ending != nil } }

  func add(_ request: SessionRequest) {
    let ending = state.withLock { state -> PostgresError? in
      if let ending = state.ending { return ending }
      if state.isClosed { return .closed }
      state.requests.append(request)
      return nil
    }
    if let ending { return request.reply.give(.failure(ending.mayHaveHappened(false))) }
    wakeFile.wake()
  }

  func cancel(_ request: SessionRequest) {
    request.cancel()
    wakeFile.wake()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    wakeFile.wake()
  }

  // What follows is for the thread.

  func next() -> Step {
    state.withLock { state in
      if !state.requests.isEmpty { return .answer(state.requests.removeFirst()) }
      return state.isClosed ? .end : .wait
    }
  }

  func rests(isReusable: Bool, refusal: PostgresError?) {
    state.withLock { ($0.isReusable, $0.refusal) = (isReusable, refusal) }
  }

  func tell(_ note: PostgresNotification) { notes.yield(note) }

  /// The session is over; whoever still waits hears why.
  func end(_ error: PostgresError) {
    let left = state.withLock { state in
      state.ending = state.ending ?? error
      defer { state.requests = [] }
      return state.requests
    }
    notes.finish()
    for request in left { request.reply.give(.failure(error.mayHaveHappened(false))) }
  }
}

/// What a server told whoever listens.
package struct PostgresNotification: Sendable, Hashable {
  package let channel: String
  package let payload: String

  package init(channel: String, payload: String) {
    self.channel = channel
    self.payload = payload
  }
}
