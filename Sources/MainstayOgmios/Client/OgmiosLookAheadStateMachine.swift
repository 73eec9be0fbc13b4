// SPDX-License-Identifier: Apache-2.0

/// Questions for the next steps of the chain on one connection, and their answers, which come in
/// the order of the chain and stay until somebody takes them.
///
/// What belongs together is a round. It ends where a question fails or nobody wants the answers any
/// more, and whatever comes for it later changes nothing.
struct OgmiosLookAheadStateMachine<Answer: Sendable>: Sendable {
  /// As many questions as a server takes at once.
  static var mostAhead: Int { 500 }

  /// The number of the round that goes on.
  private(set) var round: UInt64 = 0
  /// How many questions of it are on their way, or wait for a connection.
  private(set) var asked = 0
  /// The answers that nobody has taken, the oldest first.
  private(set) var answers: [Answer] = []
  /// Whether the server may be anywhere once the answers are taken: it has gone on by a step that
  /// nobody understands, or by questions that were given up.
  private(set) var isAstray = false
  /// Whether the server may still go on by questions that were given up.
  private(set) var hasStrays = false
  /// How many may be asked at once: after a failure one, and twice as many with each step told.
  ///
  /// So a step that cannot be read is found alone.
  private(set) var window = 1

  /// What became of the connection of a question that failed.
  enum Failure: Sendable, Hashable {
    /// It is gone, and so are all other questions.
    case lost
    /// It is gone, and before that the server went on by a step that nobody could read.
    case unreadable
    /// It goes on, and so does the server by all other questions.
    case refused
  }

  init() {}

  /// Somebody wants the next step.
  ///
  /// - Parameter limit: How many steps may be asked for and not taken; 1 or more.
  /// - Returns: How many more to ask for.
  mutating func ask(upTo limit: Int) -> Int {
    guard !isAstray else { return 0 }
    let room = max(0, min(limit, window) - asked - answers.count)
    asked += room
    return room
  }

  /// A question of a round was answered.
  mutating func answered(_ answer: Answer, in round: UInt64) {
    guard round == self.round else { return }
    asked -= 1
    answers.append(answer)
  }

  /// A question of a round failed: no other one of it is of use.
  ///
  /// - Parameters:
  ///   - round: The round.
  ///   - failure: What became of the connection.
  /// - Returns: Whether that counts; then all others of the round are to be given up.
  mutating func failed(in round: UInt64, _ failure: Failure) -> Bool {
    guard round == self.round else { return false }
    // Nobody can take them back: the server goes on by each.
    if failure == .refused, asked > 1 { hasStrays = true }
    endRound()
    window = 1
    isAstray = failure != .lost
    return true
  }

  /// Takes the oldest answer; nil where there is none.
  mutating func take() -> Answer? { answers.isEmpty ? nil : answers.removeFirst() }

  /// A step was told to the caller.
  mutating func told() { window = min(window * 2, Self.mostAhead) }

  /// Whether somebody who asked in a round has nothing to wait for: there is an answer, or there
  /// will be none.
  func isReady(_ round: UInt64) -> Bool { !answers.isEmpty || isAstray || round != self.round }

  /// Answers that are there came over a connection that is gone, and the next one begins where the
  /// caller is; questions that wait for it go on.
  ///
  /// - Returns: Whether there are none, so that the round is over.
  mutating func connectionChanged() -> Bool {
    answers = []
    isAstray = false
    hasStrays = false
    if asked == 0 { round += 1 }
    return asked == 0
  }

  /// Nobody wants the answers any more.
  mutating func drop() {
    endRound()
    answers = []
    isAstray = false
  }

  private mutating func endRound() {
    round += 1
    asked = 0
  }
}
