// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

/// The thin shell around the pure machines: it holds them, and acts once their lock is free.
final class ClientCore: Sendable {
  struct State {
    var calls: CallsStateMachine
    var link: LinkStateMachine
    var pending: [CallsStateMachine.Ticket: PendingCall] = [:]
    /// Why there was no connection last; nil since there is one.
    var failure: JSONRPCConnectionError?
    /// How the last exchange over HTTP went.
    var exchange = ConnectionStatus.disconnected
    private var lastTicket: UInt64 = 0
    private var lastID = 0

    init(calls: CallsStateMachine, link: LinkStateMachine) {
      self.calls = calls
      self.link = link
    }

    mutating func newTicket() -> UInt64 {
      lastTicket += 1
      return lastTicket
    }

    /// A number that no other call has, nor one of these.
    mutating func newID(besides taken: Set<JSONRPCID>) -> JSONRPCID {
      var id: JSONRPCID
      repeat {
        lastID += 1
        id = JSONRPCID(lastID)
      } while calls.isInUse(id) || taken.contains(id)
      return id
    }
  }

  /// What is done once the lock is free.
  enum Action {
    case end(PendingCall, CallsStateMachine.Ending, answer: Envelope.Answer?, cause: (any Error)?)
    case send([PendingCall], CallsStateMachine.Bundle, over: Int)
    case reply(JSONRPCID, over: Int)
    case giveUp(CallsStateMachine.Bundle)
    case breakOff(String, connection: Int)
    case link(LinkStateMachine.Effect)
    case tell(JSONRPCEvent)
    case push(JSONRPCPush)
  }

  let options: JSONRPCClient.Options
  let timeline: Timeline
  let events = Broadcast<JSONRPCEvent>()
  let pushes = Broadcast<JSONRPCPush>()
  let carrier: any Carrier
  private let isConnected: Bool
  private let state: Locked<State>

  /// Makes the core of a client.
  ///
  /// - Parameters:
  ///   - options: How it behaves.
  ///   - carrier: What carries messages.
  ///   - isConnected: Whether the carrier needs a connection that is opened and lost; otherwise
  ///     each exchange stands for itself.
  ///   - timeline: The clock that counts waits.
  init(
    options: JSONRPCClient.Options, carrier: any Carrier, isConnected: Bool, timeline: Timeline
  ) {
    self.options = options
    self.carrier = carrier
    self.isConnected = isConnected
    self.timeline = timeline
    var calls = CallsStateMachine(
      CallsStateMachine.Limits(
        inFlight: options.maximumInFlight, waiting: options.maximumWaiting,
        isShared: isConnected, endsUnreadable: options.endsUnreadable))
    // Nothing waits yet, so nothing is to be done.
    if !isConnected { _ = calls.opened(0, isRestored: true) }
    let link = LinkStateMachine(
      backoff: options.webSocket.backoff, hasRestore: options.webSocket.restore != nil)
    state = Locked(State(calls: calls, link: link))
  }

  var status: ConnectionStatus {
    state.withLock { isConnected ? $0.link.status : $0.exchange }
  }

  /// Changes the state, and does what follows from that.
  func step(_ body: (inout State) -> [Action]) {
    let actions = state.withLock { body(&$0) }
    for action in actions { perform(action) }
  }

  /// What the effects of the machine of calls mean.
  static func actions(
    _ effects: [CallsStateMachine.Effect], _ state: inout State,
    answer: Envelope.Answer? = nil, cause: (any Error)? = nil
  ) -> [Action] {
    var actions: [Action] = []
    for effect in effects {
      switch effect {
      case .send(let bundle):
        let calls = state.calls.tickets(of: bundle).compactMap { state.pending[$0] }
        actions.append(.send(calls, bundle, over: state.calls.connection))
      case .end(let ticket, let ending):
        guard let call = state.pending.removeValue(forKey: ticket) else { continue }
        actions.append(.end(call, ending, answer: answer, cause: cause ?? state.failure))
      case .giveUp(let bundle): actions.append(.giveUp(bundle))
      case .stray(let stray): actions.append(.tell(.ignored(stray)))
      case .breakOff(let text):
        actions.append(.breakOff(text, connection: state.calls.connection))
      }
    }
    return actions
  }

  private func perform(_ action: Action) {
    switch action {
    case .end(let call, let ending, let answer, let cause):
      let outcome = outcome(of: call, ending, answer: answer, cause: cause)
      tell(of: call, ending, outcome)
      call.end(outcome)
    case .send(let calls, let bundle, let connection):
      send(calls, in: bundle, over: connection)
    case .reply(let id, let connection):
      carrier.reply(Self.refusal(of: id).encoded, over: connection)
    case .giveUp(let bundle): carrier.giveUp(bundle)
    case .breakOff(let text, let connection):
      ended(connection, JSONRPCConnectionError(.unreadable, details: text), isOpen: true)
    case .link(let effect): perform(effect)
    case .tell(let event): events.tell(event)
    case .push(let push):
      events.tell(.pushed(method: push.method))
      if pushes.tell(push) > 0 { events.tell(.ignored(.overflow)) }
    }
  }

  private func send(
    _ calls: [PendingCall], in bundle: CallsStateMachine.Bundle, over connection: Int
  ) {
    // Those who wanted it may have left before this.
    guard isWanted(bundle) else { return }
    for call in calls { events.tell(.requested(method: call.request.method, id: call.id)) }
    let messages = calls.map { $0.request.envelope(id: $0.id) }
    let isBatch = calls.first?.isOfBatch ?? false
    let message = isBatch ? JSONValue.array(messages) : messages.first ?? .null
    carrier.send(
      OutgoingMessage(
        bundle: bundle, bytes: message.encoded, isRepeatable: calls.allSatisfy(\.isRepeatable),
        hasCalls: calls.contains { $0.id != nil }), over: connection, for: self)
    // Or while it was handed over.
    if !isWanted(bundle), calls.contains(where: { $0.id != nil }) { carrier.giveUp(bundle) }
  }

  private func isWanted(_ bundle: CallsStateMachine.Bundle) -> Bool {
    state.withLock { !$0.calls.tickets(of: bundle).isEmpty }
  }

  /// What a server is told that asks something.
  private static func refusal(of id: JSONRPCID) -> JSONValue {
    let error: JSONValue = .object([
      "code": .integer(-32601), "message": .string("This client has no methods"),
    ])
    return .object(["jsonrpc": .string("2.0"), "id": id.value, "error": error])
  }
}

// What callers do.
extension ClientCore {
  /// Calls, in one message, and returns when all have ended.
  ///
  /// - Parameters:
  ///   - requests: What is called; at least one.
  ///   - isBatch: Whether it is sent as an array.
  ///   - timeout: How long to wait; nil for as long as the options say.
  ///   - connection: The one connection for which it is meant, while that is being restored.
  /// - Returns: What became of each.
  func run(
    _ requests: [JSONRPCRequest], isBatch: Bool, timeout: Duration?, for connection: Int? = nil
  ) async -> [PendingCall.Outcome] {
    if let flaw = requests.lazy.compactMap(\.flaw).first {
      return requests.map { .failure(refused($0, .unsendable, flaw)) }
    }
    let limit = min(timeout ?? options.timeout, Deadline.remaining ?? .patience)
    if Task.isCancelled { return requests.map { _ in .failure(.cancelled()) } }
    guard limit > .zero else { return requests.map { .failure(refused($0, .timedOut, nil)) } }
    let calls = begin(requests, isBatch: isBatch, for: connection)
    let due = timeline.now + min(limit, .patience)
    let alarms = calls.map { timeline.alarms.add(due: due, target: $0) }
    let outcomes = await withTaskCancellationHandler {
      var outcomes: [PendingCall.Outcome] = []
      for call in calls { outcomes.append(await call.outcome()) }
      return outcomes
    } onCancel: {
      for call in calls { cancel(call.ticket) }
    }
    for alarm in alarms { timeline.alarms.remove(alarm) }
    return outcomes
  }

  /// Calls without a limit of time.
  ///
  /// - Parameters:
  ///   - request: What is called.
  ///   - ended: Is told what became of it, answers in the order in which they arrive.
  /// - Returns: What gives it up.
  func begin(
    _ request: JSONRPCRequest, ended: @escaping @Sendable (PendingCall.Outcome) -> Void
  ) -> @Sendable () -> Void {
    let tickets = begin([request], isBatch: false, for: nil, ended: ended).map(\.ticket)
    return { [weak self] in for ticket in tickets { self?.cancel(ticket) } }
  }

  private func begin(
    _ requests: [JSONRPCRequest], isBatch: Bool, for connection: Int?,
    ended: (@Sendable (PendingCall.Outcome) -> Void)? = nil
  ) -> [PendingCall] {
    let repeatable = requests.map { options.isRepeatable($0.method) }
    let taken = Set(requests.compactMap(\.id))
    let now = timeline.now
    let (calls, actions) = state.withLock { state in
      let calls = zip(requests, repeatable).map { request, isRepeatable in
        PendingCall(
          ticket: state.newTicket(), request: request,
          id: request.isNotification ? nil : request.id ?? state.newID(besides: taken),
          isRepeatable: isRepeatable, isOfBatch: isBatch, start: now, core: self, ended: ended)
      }
      for call in calls { state.pending[call.ticket] = call }
      let effects = state.calls.submit(
        calls.map { CallsStateMachine.Call(ticket: $0.ticket, id: $0.id) }, for: connection)
      var actions = Self.actions(effects, &state)
      // One that ended while it was restored is not asked for again by those who restored it.
      if isConnected, connection == nil {
        let isUrgent = !options.webSocket.waitsForConnection
        switch state.link.demand(isUrgent: isUrgent) {
        case .refuse: actions += Self.actions(state.calls.failWaiting(), &state)
        case let effect?: actions.append(.link(effect))
        case nil: break
        }
      }
      return (calls, actions)
    }
    for action in actions { perform(action) }
    return calls
  }

  private func refused(
    _ request: JSONRPCRequest, _ reason: JSONRPCConnectionError.Reason, _ details: String?
  ) -> AppError {
    JSONRPCConnectionError(reason, method: request.method, details: details).asAppError
  }

  func expire(_ ticket: CallsStateMachine.Ticket) {
    step { state in Self.actions(state.calls.expire(ticket), &state) }
  }

  private func cancel(_ ticket: CallsStateMachine.Ticket) {
    step { state in Self.actions(state.calls.cancel(ticket), &state) }
  }

  /// Ends everything.
  func close() {
    step { state in
      var actions = Self.actions(state.calls.close(), &state)
      if let effect = state.link.close() { actions.append(.link(effect)) }
      return actions
    }
    events.finish()
    pushes.finish()
  }
}

extension Duration {
  /// Longer than anybody waits.
  fileprivate static var patience: Duration { .seconds(365 * 86_400) }
}
