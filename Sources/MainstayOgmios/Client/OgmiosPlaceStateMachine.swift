// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Where a caller is: on the chain, in the ledger and in the mempool, whichever connection it has.
///
/// A connection that is somewhere else is brought here before it is used.
struct OgmiosPlaceStateMachine: Sendable {
  /// Where one connection is, by the numbers that the caller's moves had.
  struct Connection: Sendable, Hashable {
    /// Its place on the chain; a new connection is at the beginning, nil where nobody knows.
    var chain: UInt64? = 0
    /// Whether the caller moves by what this connection says; the next one knows nothing of that.
    var isMoving = false
    /// Whether the next answer repeats the place that it was brought to.
    var isEchoExpected = false
    /// Its view of the ledger; nil for none.
    var ledger: UInt64?
    /// Its view of the mempool; nil for none.
    var mempool: UInt64?
    /// Whether the server still has a view of the mempool that nobody knows the place in.
    var hasLostView = false

    /// The caller has moved by what a connection said: where it is this one, it is there, too.
    mutating func moved(_ number: UInt64) {
      guard isMoving else { return }
      isMoving = false
      chain = number
    }

    /// The server may have gone on in the view, and nobody has heard of it.
    mutating func loseView() {
      mempool = nil
      hasLostView = true
    }
  }

  /// What a caller wants to look at.
  struct LedgerView: Sendable, Hashable {
    let number: UInt64
    /// Whether any recent point does.
    let isAnyPoint: Bool
    /// The point; nil where the newest one is to be taken.
    var point: OgmiosPoint?
  }

  /// As many blocks as can be taken back on Cardano, and the one below.
  static let longestRollback = 2_161
  /// In so many slots a chain grows by as many blocks: with a block in each twentieth slot.
  private static let longestReach: UInt64 = 129_600
  private static let slotsOfByronEpoch: UInt64 = 21_600

  private var moves: UInt64 = 0
  /// The number of the last move on the chain; zero while nobody has moved.
  private(set) var chain: UInt64 = 0
  private var start: [OgmiosPoint] = []
  private var recent: [OgmiosPoint] = []
  /// Whether so many blocks were told since the start that no chain goes back there.
  private var isStartPassed = false
  /// Whether the caller has not been told yet that the chain goes back to its place.
  private(set) var isBackwardDue = true
  private(set) var ledger: LedgerView?
  private(set) var mempool: UInt64?

  init() {}

  private mutating func move() -> UInt64 {
    moves += 1
    return moves
  }

  // MARK: The chain

  /// Where the caller is on the chain.
  var cursor: OgmiosPoint { recent.last ?? .origin }

  /// A caller and a server agreed on a point.
  mutating func intersected(_ points: [OgmiosPoint], at point: OgmiosPoint) -> UInt64 {
    start = points
    recent = [point]
    isStartPassed = false
    isBackwardDue = true
    chain = move()
    return chain
  }

  /// The chain went on, or back.
  mutating func stepped(_ step: OgmiosChainStep) -> UInt64 {
    switch step {
    case .forward(let block, _):
      if let point = block.point ?? boundary(named: block.id) { recent.append(point) }
      if recent.count > Self.longestRollback {
        recent.removeFirst()
        isStartPassed = true
      }
    case .backward(let point, _):
      if let index = recent.lastIndex(of: point) {
        recent.removeSubrange((index + 1)...)
      } else {
        recent = [point]
      }
    }
    isBackwardDue = false
    chain = move()
    return chain
  }

  /// Where a boundary of an epoch in Byron is, of which a server says no slot: it shares that of
  /// the first block that its epoch can have.
  ///
  /// A node with epochs of another length does not know the point. Then it agrees on the block
  /// below, and the caller is told to go back there first.
  private func boundary(named id: String) -> OgmiosPoint? {
    guard case .block(let slot, _) = cursor else { return .block(slot: 0, id: id) }
    let epoch = slot / Self.slotsOfByronEpoch + 1
    let (first, isTooLate) = epoch.multipliedReportingOverflow(by: Self.slotsOfByronEpoch)
    return isTooLate ? nil : .block(slot: first, id: id)
  }

  /// Points to agree on after a connection was lost, the newest first and then further and further
  /// apart; the last ones are where the caller began.
  ///
  /// None is further away than a chain goes back: a node that has no nearer one is behind or on
  /// another network, and by it the caller would lose all that came since.
  var replay: [OgmiosPoint] {
    var points: [OgmiosPoint] = []
    var distance = 0
    while distance < recent.count {
      points.append(recent[recent.count - 1 - distance])
      distance = max(distance * 2, 1)
    }
    if let oldest = recent.first, !points.contains(oldest) { points.append(oldest) }
    guard !isStartPassed else { return points }
    let last = start.isEmpty ? [.origin] : start
    return points + last.filter { !points.contains($0) && isInReach($0) }
  }

  /// Whether a step back goes further than any chain does: past all blocks that are kept.
  func isTooFar(_ point: OgmiosPoint) -> Bool {
    guard isStartPassed, !isBackwardDue else { return false }
    return !recent.contains { $0.id == point.id }
  }

  /// Whether a chain may go back from the place of the caller to a point.
  private func isInReach(_ point: OgmiosPoint) -> Bool {
    let (here, there) = (cursor.slot, point.slot)
    return here <= there || here - there <= Self.longestReach
  }

  // MARK: The ledger

  mutating func look(at point: OgmiosPoint?) -> LedgerView {
    let view = LedgerView(number: move(), isAnyPoint: point == nil, point: point)
    ledger = view
    return view
  }

  /// A view was acquired: where any point does, this is the one from now on.
  mutating func acquired(_ number: UInt64, at point: OgmiosPoint) {
    if ledger?.number == number { ledger?.point = point }
  }

  /// A view has run out: where any point does, the next one may be another.
  mutating func expired(_ number: UInt64) {
    if ledger?.number == number, ledger?.isAnyPoint == true { ledger?.point = nil }
  }

  mutating func lookAway() { ledger = nil }

  /// A view could not be acquired: the one before counts again.
  mutating func abandoned(_ number: UInt64, for before: LedgerView?) {
    if ledger?.number == number { ledger = before }
  }

  // MARK: The mempool

  mutating func acquiredMempool() -> UInt64 {
    let number = move()
    mempool = number
    return number
  }

  mutating func releasedMempool() { mempool = nil }
}
