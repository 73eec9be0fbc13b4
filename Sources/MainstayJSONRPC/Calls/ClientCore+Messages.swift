// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

// What servers send.
extension ClientCore {
  /// How much is read of a message.
  var limits: JSONValue.Limits {
    JSONValue.Limits(
      bytes: options.maximumMessageSize, depth: options.maximumDepth, repairsText: false)
  }

  /// A message arrived over a connection.
  func received(_ bytes: Data, over connection: Int) {
    do throws(JSONValue.ReadingError) {
      receive(try JSONValue(reading: bytes, limits: limits), bytes, over: connection)
    } catch {
      unreadable("\(error). \(Excerpt.of(bytes))", over: connection)
    }
  }

  private func unreadable(_ text: String, over connection: Int) {
    step { state in
      guard state.calls.isOpen(connection) else { return [] }
      return Self.actions(state.calls.unreadable(text), &state)
    }
  }

  private func receive(_ value: JSONValue, _ bytes: Data, over connection: Int) {
    step { state in
      guard state.calls.isOpen(connection) else { return [] }
      let (actions, isAnswer) = Self.take(value, bytes, in: nil, &state)
      // What cannot be read proves nothing.
      if isAnswer { state.link.proved(connection) }
      return actions
    }
  }

  /// The answer to one exchange of HTTP is there.
  ///
  /// - Parameters:
  ///   - value: The answer.
  ///   - bytes: The same, as it came.
  ///   - bundle: What was sent.
  func answered(_ value: JSONValue, _ bytes: Data, in bundle: CallsStateMachine.Bundle) {
    step { state in
      let (actions, isAnswer) = Self.take(value, bytes, in: bundle, &state)
      if isAnswer { state.exchange = .connected }
      return actions + Self.actions(state.calls.written(bundle), &state)
    }
  }

  /// The answer to one exchange of HTTP cannot be read.
  func unreadable(_ text: String, in bundle: CallsStateMachine.Bundle) {
    step { state in Self.actions(state.calls.unreadable(text, in: bundle), &state) }
  }

  /// One message, or several in an array.
  private static func take(
    _ value: JSONValue, _ bytes: Data, in exchange: CallsStateMachine.Bundle?,
    _ state: inout State
  ) -> (actions: [Action], isAnswer: Bool) {
    var actions: [Action] = []
    var bundles: Set<CallsStateMachine.Bundle> = []
    var others = 0
    var anonymous: [Envelope.Answer] = []
    let elements = value.array ?? [value]
    for element in elements {
      switch Envelope(element) {
      case .answer(.null, let answer): anonymous.append(answer)
      case .answer(let id, let answer):
        if let bundle = state.calls.bundle(of: id) { bundles.insert(bundle) }
        actions += Self.actions(state.calls.answer(id, in: exchange), &state, answer: answer)
      case .push(let push):
        actions.append(.push(push))
        if let id = push.id, exchange == nil {
          actions.append(.reply(id, over: state.calls.connection))
        }
      case .other: others += 1
      }
    }
    // Once those with ids have theirs: what has none is about the rest.
    for answer in anonymous {
      let own = state.calls.bundle(of: .null)
      let effects = state.calls.anonymousError(in: exchange, among: bundles)
      if let own { bundles.insert(own) }
      actions += Self.actions(effects, &state, answer: own == nil ? answer.ofNobody : answer)
    }
    if elements.isEmpty || others > 0 {
      let text = "no message of JSON-RPC. \(Excerpt.of(bytes))"
      actions += Self.actions(state.calls.unreadable(text, in: exchange), &state)
    }
    if value.array != nil || exchange != nil {
      let effects = state.calls.batchEnded(bundles, in: exchange)
      let isAnyMissing = effects.contains { if case .end(_, .missing) = $0 { true } else { false } }
      let found: Envelope.Answer? = isAnyMissing ? .malformed(Excerpt.of(bytes)) : nil
      actions += Self.actions(effects, &state, answer: found)
    }
    return (actions, others < elements.count)
  }
}

extension Envelope.Answer {
  /// The same without an id, where no call has none: a result belongs to one call.
  fileprivate var ofNobody: Envelope.Answer {
    if case .result = self { .malformed("a result without an id") } else { self }
  }
}
