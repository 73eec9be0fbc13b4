// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The connections of a ``PostgresPool``, who has them and who waits for one.
///
/// It has no clock and no lock of its own. Connections and waiters are numbers here; what the shell
/// has to do is in ``Actions``. A connection is idle, taken or being opened, and together they are
/// never more than the size. While one is idle, nobody waits.
struct PoolStateMachine: Sendable {
  struct Settings: Sendable {
    var size = 4
    /// How many callers may wait.
    var lineLength = 10_000
    /// How long a caller waits at most, once it is known whether the server can be reached.
    var wait = Duration.seconds(5)
    /// The pauses between attempts to open, shared by all who wait.
    var backoff = usualPauses

    /// So short that one who begins to wait during a pause is there for two attempts after it.
    static let usualPauses = Backoff.exponential(
      from: .milliseconds(100), to: .seconds(2), jitter: .equal)
  }

  /// What becomes of a caller.
  enum Answer: Sendable, Equatable {
    case taken(Int)
    case waits(UInt64)
    case refused(PostgresError)
  }

  /// What the shell does after a step.
  struct Actions: Sendable, Equatable {
    /// Who gets which connection, in the order in which they came.
    var granted: [UInt64: Int] = [:]
    /// Who gets none, and why.
    var failed: [UInt64: PostgresError] = [:]
    /// How many connections are to be opened.
    var opens = 0
    /// Which connections are to be closed.
    var closes: [Int] = []
  }

  private struct Waiter {
    let id: UInt64
    let came: Duration
  }

  let settings: Settings
  /// The one given back last is taken first, so that the others may rest.
  private(set) var idle: [Int] = []
  private(set) var taken: Set<Int> = []
  private(set) var opening = 0
  private(set) var isClosed = false
  private var line: [Waiter] = []
  private var nextWaiter: UInt64 = 0
  private var nextConnection = 0
  /// Attempts to open that failed in a row.
  private(set) var failures = 0
  private var lastFailure: PostgresError?
  private var lastPause: Duration?
  /// Before that, nothing is opened.
  private(set) var openFrom: Duration?
  /// Whether a connection has been opened since the last failure.
  private var isProven = false
  /// The first connection that shows whether a server takes changes again; nil where none refused.
  ///
  /// Those that were open before say nothing of what a new one meets.
  private var provesChanges: Int?

  init(_ settings: Settings) { self.settings = settings }

  /// Those who wait, the first to come first.
  var waiters: [UInt64] { line.map(\.id) }
  /// Connections that are there or on their way.
  var total: Int { idle.count + taken.count + opening }
}

extension PoolStateMachine {
  /// A caller asks for a connection; ``advance(now:)`` has to follow where it waits.
  mutating func ask(now: Duration) -> Answer {
    if isClosed { return .refused(.closed) }
    if let connection = idle.popLast() {
      taken.insert(connection)
      return .taken(connection)
    }
    // Nothing has changed since the server refused, and nobody asks it again before its time.
    if let lastFailure, lastFailure.isLasting, total == 0, let openFrom, now < openFrom {
      return .refused(lastFailure)
    }
    guard line.count < settings.lineLength else {
      return .refused(
        PostgresError(.busy, "\(line.count) callers wait for a connection: enlarge the pool."))
    }
    defer { nextWaiter += 1 }
    line.append(Waiter(id: nextWaiter, came: now))
    return .waits(nextWaiter)
  }

  /// A waiter wants none any more.
  ///
  /// - Returns: Whether it still waited.
  mutating func leave(_ waiter: UInt64) -> Bool {
    guard let index = line.firstIndex(where: { $0.id == waiter }) else { return false }
    line.remove(at: index)
    return true
  }

  /// A connection comes back.
  ///
  /// - Parameters:
  ///   - connection: Its number.
  ///   - isReusable: Whether it is sound and nothing was left behind in it.
  ///   - now: The reading of the clock.
  /// - Returns: What follows.
  mutating func giveBack(_ connection: Int, isReusable: Bool, now: Duration) -> Actions {
    guard taken.remove(connection) != nil else { return Actions() }
    guard isReusable, !isClosed else {
      // Its server may be gone: one attempt finds out, before all ask it at once.
      doubt()
      var actions = advance(now: now)
      actions.closes.append(connection)
      return actions
    }
    if let provesChanges, connection >= provesChanges { forgetFailures() }
    idle.append(connection)
    return advance(now: now)
  }

  /// A connection comes back whose server lets everybody in and takes no changes.
  ///
  /// That is as good as a failed opening: where it were opened anew at once, those who want to
  /// change something would open connections as fast as they can.
  ///
  /// - Parameters:
  ///   - connection: Its number.
  ///   - error: What the server said.
  ///   - now: The reading of the clock.
  ///   - fraction: Chance in `0..<1`, for the pause.
  /// - Returns: What follows.
  mutating func giveBack(
    _ connection: Int, refusedWith error: PostgresError, now: Duration, fraction: Double
  ) -> Actions {
    guard taken.remove(connection) != nil else { return Actions() }
    if !isClosed {
      provesChanges = nextConnection
      // Those that were open together say it together, and that is once.
      if now >= openFrom ?? now { failed(error, now: now, fraction: fraction) }
    }
    var actions = advance(now: now)
    actions.closes.append(connection)
    return actions
  }

  /// A connection was opened.
  ///
  /// - Returns: Its number, and what follows.
  mutating func opened(now: Duration) -> (connection: Int, actions: Actions) {
    opening -= 1
    let connection = nextConnection
    nextConnection += 1
    guard !isClosed else { return (connection, Actions(closes: [connection])) }
    // Whether a server takes changes again shows when something has been done.
    if provesChanges == nil { forgetFailures() }
    idle.append(connection)
    return (connection, advance(now: now))
  }

  /// A connection could not be opened.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - now: The reading of the clock.
  ///   - fraction: Chance in `0..<1`, for the pause.
  /// - Returns: What follows.
  mutating func openFailed(_ error: PostgresError, now: Duration, fraction: Double) -> Actions {
    opening -= 1
    guard !isClosed else { return Actions() }
    failed(error, now: now, fraction: fraction)
    var actions = advance(now: now)
    if error.isLasting && total == 0 {
      for waiter in line { actions.failed[waiter.id] = error }
      line = []
    }
    return actions
  }

  private mutating func failed(_ error: PostgresError, now: Duration, fraction: Double) {
    failures += 1
    doubt()
    let pause = settings.backoff.delay(
      attempt: failures, previous: lastPause, fraction: fraction)
    (lastFailure, lastPause, openFrom) = (error, pause, now + pause)
  }

  /// Only what is opened from now on says whether the server is there.
  private mutating func doubt() {
    isProven = false
    if provesChanges != nil { provesChanges = nextConnection }
  }

  private mutating func forgetFailures() {
    (failures, lastFailure, lastPause, openFrom) = (0, nil, nil, nil)
    (isProven, provesChanges) = (true, nil)
  }

  /// Time has passed, or somebody has come.
  mutating func advance(now: Duration) -> Actions {
    var actions = Actions()
    while let waiter = line.first, let connection = idle.popLast() {
      line.removeFirst()
      taken.insert(connection)
      actions.granted[waiter.id] = connection
    }
    while let waiter = line.first, waiter.came + patience <= now {
      line.removeFirst()
      actions.failed[waiter.id] = tooLate
    }
    actions.opens = opens(now: now)
    opening += actions.opens
    return actions
  }

  /// When ``advance(now:)`` is to be called at the latest; nil for never.
  var due: Duration? {
    guard let first = line.first.map({ $0.came + patience }) else { return nil }
    guard let openFrom, total < settings.size, opening == 0 else { return first }
    return min(first, openFrom)
  }

  /// Nobody gets a connection any more.
  mutating func close() -> Actions {
    isClosed = true
    var actions = Actions(closes: idle)
    for waiter in line { actions.failed[waiter.id] = .closed }
    (idle, line) = ([], [])
    return actions
  }

  /// How long a caller waits: the first address of a host may be one where nobody answers, and
  /// only when that is given up the next one is tried.
  private var patience: Duration {
    let isUnknown = nextConnection == 0 && failures == 0
    return settings.wait.clamped * (isUnknown ? 2 : 1)
  }

  private var tooLate: PostgresError {
    if let lastFailure { return lastFailure }
    guard nextConnection > 0 else {
      return PostgresError(
        .unreachable,
        "No connection came about within \(patience.inSeconds) seconds: look at the server and at "
          + "the network.")
    }
    return PostgresError(
      .busy,
      "All \(settings.size) connections were busy for \(settings.wait.inSeconds) seconds: "
        + "enlarge the pool, or make transactions shorter.")
  }

  /// How many to open now: one for each who waits, but a single one to find out whether it works.
  private func opens(now: Duration) -> Int {
    let wanted = min(line.count - opening, settings.size - total)
    guard wanted > 0, !isClosed else { return 0 }
    if isProven { return wanted }
    if let openFrom, now < openFrom { return 0 }
    return opening == 0 ? 1 : 0
  }
}
