// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

// What becomes of the connection.
extension ClientCore {
  func perform(_ effect: LinkStateMachine.Effect) {
    switch effect {
    case .open(let connection): carrier.open(connection, for: self)
    case .drop(let connection): carrier.drop(connection)
    case .wait(let until): _ = timeline.alarms.add(due: until, target: LinkAlarm(core: self))
    case .restore(let connection): restore(connection)
    // Only a demand has it, and who demands ends the calls.
    case .refuse: break
    }
  }

  private func restore(_ connection: Int) {
    guard let restore = options.webSocket.restore else { return }
    Task {
      do {
        try await restore(JSONRPCSession(number: connection, core: self))
        restored(connection)
      } catch {
        ended(
          connection,
          JSONRPCConnectionError(.lost, details: "It could not be restored", cause: error),
          isOpen: true)
      }
    }
  }

  /// A connection is open.
  func opened(_ connection: Int) {
    step { state in
      let effect = state.link.opened(connection)
      if case .drop = effect { return effect.map { [.link($0)] } ?? [] }
      let isUp = effect == nil
      let effects = state.calls.opened(connection, isRestored: isUp)
      var actions: [Action] = isUp ? [.tell(.connected(number: connection))] : []
      if isUp { state.failure = nil }
      actions += Self.actions(effects, &state)
      return actions + (effect.map { [.link($0)] } ?? [])
    }
  }

  private func restored(_ connection: Int) {
    step { state in
      guard state.link.restored(connection) else { return [] }
      state.failure = nil
      let effects = state.calls.opened(connection, isRestored: true)
      return [.tell(.connected(number: connection))] + Self.actions(effects, &state)
    }
  }

  /// A connection ended, or could not be made.
  ///
  /// - Parameters:
  ///   - connection: Its number.
  ///   - error: Why.
  ///   - isOpen: Whether it is still to be closed.
  func ended(_ connection: Int, _ error: JSONRPCConnectionError, isOpen: Bool = false) {
    let known = error.asAppError
    let isHopeless =
      switch known.disposition {
      case .permanent, .needsUser: true
      default: false
      }
    let now = timeline.now
    let fraction = Double.random(in: 0..<1)
    step { state in
      let wasOpen = state.calls.isOpen(connection)
      let (effect, counts) = state.link.ended(
        connection, isHopeless: isHopeless, hint: known.disposition.retryAfter, now: now,
        fraction: fraction)
      guard counts else { return [] }
      state.failure = error
      var actions = Self.actions(state.calls.ended(), &state, cause: error)
      if effect == nil || !options.webSocket.waitsForConnection {
        actions += Self.actions(state.calls.failWaiting(), &state, cause: error)
      }
      if wasOpen {
        actions.append(.tell(.disconnected(number: connection, known)))
      } else {
        var pause: Duration?
        if case .wait(let until) = effect { pause = until - now }
        actions.append(
          .tell(.connectingFailed(attempt: state.link.failures, known, retryAfter: pause)))
      }
      // Before the next one is opened, or nobody would know it any more.
      if isOpen { actions.append(.link(.drop(connection))) }
      return actions + (effect.map { [.link($0)] } ?? [])
    }
  }

  /// The time to open a connection again may have come.
  fileprivate func wake() {
    let now = timeline.now
    step { state in state.link.wake(now: now).map { [.link($0)] } ?? [] }
  }

  /// A message has left.
  func written(_ bundle: CallsStateMachine.Bundle) {
    step { state in Self.actions(state.calls.written(bundle), &state) }
  }

  /// A message has certainly not left.
  func returned(_ bundle: CallsStateMachine.Bundle, by connection: Int) {
    step { state in Self.actions(state.calls.returned(bundle, by: connection), &state) }
  }

  /// The exchange of a message failed.
  func failed(_ bundle: CallsStateMachine.Bundle, wasSent: Bool, _ error: any Error) {
    // Where the service itself answered, the connection is well.
    let answered = error.asAppError.httpStatus != nil && error.asAppError.kind != .portal
    step { state in
      if !error.isCancellation { state.exchange = answered ? .connected : .failed }
      return Self.actions(
        state.calls.failed(bundle, wasSent: wasSent), &state, cause: error)
    }
  }
}

/// Wakes a core that waits before it tries to connect; it keeps none alive.
private final class LinkAlarm: AlarmTarget {
  private let wake: @Sendable () -> Void

  init(core: ClientCore) { wake = { [weak core] in core?.wake() } }

  func ring() { wake() }
}

extension CallsStateMachine {
  /// Whether this connection is open.
  func isOpen(_ connection: Int) -> Bool {
    line == .up(connection) || line == .restoring(connection)
  }

  /// The connection that is open; zero where there is none.
  var connection: Int {
    switch line {
    case .up(let connection), .restoring(let connection): connection
    case .down, .closed: 0
    }
  }
}
