// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

/// What all connections of a server share.
final class OgmiosWorld: Sendable {
  /// What is done to a connection.
  enum Step: Sendable {
    case send(String)
    case close(code: Int, reason: String)
    case hangUp, reset
  }

  /// A fault that waits for its request.
  struct Planned: Sendable {
    let fault: OgmiosServer.Fault
    let method: String?
    let takesEffect: Bool
  }

  fileprivate struct Visitor {
    var session: OgmiosSessionStateMachine
    let steps: AsyncStream<Step>.Continuation
  }

  fileprivate struct State {
    var ledger: OgmiosLedger
    var planned: [Planned] = []
    var visitors: [Int: Visitor] = [:]
    var mostInFlight = 0
  }

  /// The methods that were called.
  let calls = EventLog<String>()
  private let settings: OgmiosServer.Settings
  fileprivate let state: Locked<State>

  init(_ ledger: OgmiosLedger, _ settings: OgmiosServer.Settings) {
    self.settings = settings
    state = Locked(State(ledger: ledger))
  }

  var ledger: OgmiosLedger { state.withLock { $0.ledger } }
  var mostInFlight: Int { state.withLock { $0.mostInFlight } }

  private var freshSession: OgmiosSessionStateMachine {
    OgmiosSessionStateMachine(
      settings: .init(
        version: settings.version, isStrict: settings.isStrict,
        includesCBOR: settings.includesCBOR, maximumInFlight: max(settings.maximumInFlight, 1)))
  }

  func inject(_ planned: Planned, times: Int) {
    state.withLock { $0.planned += Array(repeating: planned, count: max(times, 1)) }
  }

  func change(_ change: @Sendable (inout OgmiosLedger) -> Void) {
    var isDone = false
    while !isDone {
      // The change is the test's own code, so it is made outside of the lock, and again where
      // somebody else was faster.
      let before = ledger
      var changed = before
      change(&changed)
      isDone = replace(before, by: changed)
    }
  }

  /// Puts a ledger in the place of another one.
  ///
  /// - Returns: Whether that other one was still there.
  private func replace(_ before: OgmiosLedger, by changed: OgmiosLedger) -> Bool {
    state.withLock { state in
      guard state.ledger == before else { return false }
      state.ledger = changed
      state.answerWaiting(except: nil)
      guard before.isConnected, !changed.isConnected else { return true }
      for visitor in state.visitors.values { visitor.steps.yield(Self.nodeLost) }
      return true
    }
  }

  fileprivate static let nodeLost: Step = {
    guard case .close(let code, let reason) = OgmiosServer.Fault.nodeLost else { return .hangUp }
    return .close(code: code, reason: reason)
  }()
}

// MARK: - WebSockets

extension OgmiosWorld {
  /// A connection is open; what is done to it comes out.
  func enter(_ number: Int) -> AsyncStream<Step> {
    let (stream, continuation) = AsyncStream.makeStream(of: Step.self)
    let session = freshSession
    state.withLock { $0.visitors[number] = Visitor(session: session, steps: continuation) }
    return stream
  }

  /// A connection is over.
  func leave(_ number: Int) {
    state.withLock { $0.visitors.removeValue(forKey: number) }?.steps.finish()
  }

  /// A message came on a connection.
  func receive(_ bytes: Data, on number: Int) {
    let method = Self.method(of: bytes)
    // Before anybody can have the answer.
    calls.add(method)
    state.withLock { state in
      guard var visitor = state.visitors[number] else { return }
      guard state.ledger.isConnected else {
        visitor.steps.yield(Self.nodeLost)
        return
      }
      let planned = state.takeFault(for: method)
      let request = JSONValue(json: bytes).flatMap(OgmiosRequestLine.init)
      if let fault = planned?.fault, request == nil || planned?.takesEffect == false {
        let strict = settings.isStrict
        let step = request.map { Self.step(.fault(fault, to: $0, strict: strict)) }
        if let step = step ?? Self.step(fault) { visitor.steps.yield(step) }
      } else {
        // What has to wait goes wrong once it would be answered.
        let replies = visitor.session.receive(bytes, &state.ledger, fault: planned?.fault)
        state.mostInFlight = max(state.mostInFlight, visitor.session.mostInFlight)
        state.visitors[number] = visitor
        for step in replies.compactMap(Self.step) { visitor.steps.yield(step) }
      }
      state.answerWaiting(except: number)
    }
  }

  fileprivate static func step(_ reply: OgmiosReply) -> Step? {
    if let fault = reply.fault { step(fault) } else { .send(reply.text) }
  }

  /// What a fault does to a connection; nil for nothing, as for an error without a request.
  private static func step(_ fault: OgmiosServer.Fault) -> Step? {
    switch fault {
    case .failure, .silence: nil
    case .text(let text): .send(text)
    case .close(let code, let reason): .close(code: code, reason: reason)
    case .hangUp, .portal: .hangUp
    case .reset: .reset
    }
  }

  fileprivate static func method(of bytes: Data) -> String {
    JSONValue(json: bytes)?["method"]?.string ?? "none"
  }
}

extension OgmiosWorld.State {
  fileprivate mutating func takeFault(for method: String) -> OgmiosWorld.Planned? {
    planned.firstIndex { $0.method == nil || $0.method == method }.map { planned.remove(at: $0) }
  }

  /// Answers who waited for what has changed.
  fileprivate mutating func answerWaiting(except number: Int?) {
    for key in visitors.keys where key != number {
      guard var visitor = visitors[key] else { continue }
      let replies = visitor.session.ledgerChanged(&ledger)
      visitors[key] = visitor
      for step in replies.compactMap(OgmiosWorld.step) { visitor.steps.yield(step) }
    }
  }
}

// MARK: - HTTP

extension OgmiosWorld {
  /// A request came over HTTP, or for a WebSocket.
  func receive(_ request: ReceivedRequest) -> WebSocketServer.Reception {
    if request["Upgrade"]?.lowercased() == "websocket" { return .accept() }
    switch (request.method, request.path) {
    case ("OPTIONS", "/"): return Self.reply(200, "")
    case ("POST", "/"): return call(request.body)
    case ("GET", "/health"): return health
    case ("GET", "/metrics"):
      let text = "# TYPE ogmios_active_connections gauge\nogmios_active_connections \(visits)\n"
      return Self.reply(200, text, type: "text/plain")
    case ("GET", "/"): return Self.reply(200, "<html>Ogmios</html>", type: "text/html")
    case ("GET", _): return Self.reply(404, "")
    default: return Self.reply(406, "")
    }
  }

  private var visits: Int { state.withLock { $0.visitors.count } }

  private static func reply(
    _ status: Int, _ body: String, type: String = "application/json"
  ) -> WebSocketServer.Reception {
    .refuse(
      status: status,
      headers: [
        (name: "Content-Type", value: type), (name: "Access-Control-Allow-Origin", value: "*"),
      ], body: body)
  }

  /// A call has a session of its own, which ends with it.
  private func call(_ body: Data) -> WebSocketServer.Reception {
    let method = Self.method(of: body)
    var session = freshSession
    calls.add(method)
    let (planned, reply, isConnected) = state.withLock { state in
      let planned = state.takeFault(for: method)
      var reply: OgmiosReply?
      if planned == nil || planned?.takesEffect == true, state.ledger.isConnected {
        reply = session.receive(body, &state.ledger).first
        state.answerWaiting(except: nil)
      }
      return (planned, reply, state.ledger.isConnected)
    }
    guard isConnected else { return Self.reply(500, "") }
    guard let fault = planned?.fault else {
      // What waits for a next block waits for as long as the client does.
      return reply.map { Self.reply($0.isError ? 400 : 200, $0.text) } ?? .silence
    }
    switch fault {
    case .failure(let failure):
      let request = JSONValue(json: body).flatMap(OgmiosRequestLine.init)
      let text = request.map {
        OgmiosReply.failure(failure, to: $0, strict: settings.isStrict).text
      }
      return Self.reply(400, text ?? "")
    case .text(let text):
      let isObject = text.first == "{"
      return Self.reply(isObject ? 200 : 500, text)
    case .close, .hangUp: return .hangUp
    case .reset: return .reset
    case .silence: return .silence
    case .portal: return .portal
    }
  }

  private var health: WebSocketServer.Reception {
    let ledger = ledger
    let status = !ledger.isConnected ? 500 : ledger.synchronization < 1 ? 202 : 200
    let known = ledger.isConnected
    let tip = known ? OgmiosQueries.tip(ledger) : "null"
    let body =
      #"{"startTime":"2026-06-20T12:00:00.853115034Z","lastKnownTip":\#(tip),"#
      + #""lastTipUpdate":\#(known ? "\"2026-06-21T12:00:00.853115034Z\"" : "null"),"#
      + #""networkSynchronization":\#(known ? "\(ledger.synchronization)" : "null"),"#
      + #""currentEra":\#(known ? "\"\(ledger.era)\"" : "null"),"#
      + #""currentEpoch":\#(known ? "\(ledger.epoch)" : "null"),"#
      + #""slotInEpoch":\#(known ? "\(ledger.tip.slot % 432_000)" : "null"),"#
      + #""connectionStatus":"\#(known ? "connected" : "disconnected")","#
      + #""network":"preview","version":"\#(settings.version.rawValue)","#
      + #""metrics":{"activeConnections":\#(visits)}}"#
    return Self.reply(status, body)
  }
}
