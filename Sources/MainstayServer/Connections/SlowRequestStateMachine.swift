// SPDX-License-Identifier: Apache-2.0

/// What one connection keeps its server waiting for.
///
/// While a request is handled it is the handler's to wait for its body. So the time begins where
/// nobody else would look: at the first byte of a head, once the answer is out, and while what was
/// written of an answer waits for its reader.
struct SlowRequestStateMachine {
  enum Part: String, Sendable, CaseIterable {
    /// Some of a head is there, and not all.
    case head
    /// The answer has been sent, and the body of the request still comes.
    case body
    /// So much of an answer waits for its reader that nothing more is written.
    case answer
  }

  enum Event: CaseIterable {
    case headRead, bodyRead, requestRead
    /// All that arrived together has been read.
    case readEnded
    case answered
    /// The connection takes nothing more of what is written, or takes it again.
    case blocked, unblocked
  }

  enum Effect: Equatable {
    case nothing
    /// The time of this wait begins; that of an earlier one is over.
    case begin(wait: Int)
    case end
  }

  private var isHeadBegun = false
  private var isBodyOpen = false
  private var unanswered = 0
  private var hasPart = false
  private var isBlocked = false
  private var wait = 0
  private(set) var awaited: Part?

  mutating func handle(_ event: Event) -> Effect {
    switch event {
    case .headRead:
      (isHeadBegun, isBodyOpen, hasPart) = (false, true, true)
      unanswered += 1
    case .bodyRead: hasPart = true
    case .requestRead: (isBodyOpen, hasPart) = (false, true)
    case .readEnded:
      // Bytes of which the decoder made nothing are the beginning of a head.
      if !isBodyOpen, !hasPart { isHeadBegun = true }
      hasPart = false
    // A request that could not be read is answered, too.
    case .answered: unanswered = max(unanswered - 1, 0)
    case .blocked: isBlocked = true
    case .unblocked: isBlocked = false
    }
    let awaited = next
    guard awaited != self.awaited else { return .nothing }
    self.awaited = awaited
    wait += 1
    return awaited == nil ? .end : .begin(wait: wait)
  }

  private var next: Part? {
    // Also while it is handled: whoever handles it may wait for the reader, too.
    if isBlocked { return .answer }
    return unanswered > 0 ? nil : isBodyOpen ? .body : isHeadBegun ? .head : nil
  }

  /// - Returns: What took too long; nil where that wait is over.
  func timeIsUp(wait: Int) -> Part? { wait == self.wait ? awaited : nil }
}
