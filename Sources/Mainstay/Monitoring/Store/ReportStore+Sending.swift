// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ReportStore {
  /// How a round of sending ended.
  public enum Round: Sendable, Hashable {
    /// Nothing is left that could be sent.
    case finished
    /// Something is left, and nothing of it may be sent for so long.
    case paused(Duration)
    /// Somebody else is sending.
    case busy
    /// The task was cancelled; what was not answered stays.
    case cancelled
  }

  /// Sends records as they come, for as long as the task is not cancelled.
  ///
  /// While the folder cannot be used, it is looked at each minute.
  public func run() async {
    while !Task.isCancelled {
      switch await drain() {
      case .finished:
        // Nobody says when another store gives the folder back, or a disk works again.
        let due = isHindered ? timeline.now + .seconds(60) : nil
        await signal.wait(until: due, on: timeline)
      case .paused(let pause): await signal.wait(until: timeline.now + pause, on: timeline)
      case .busy: await signal.wait(until: timeline.now + .seconds(1), on: timeline)
      case .cancelled: return
      }
    }
  }

  /// Sends what may be sent now, one request after the other; one caller at a time does.
  ///
  /// Before the end of a process, ``flush(within:)`` waits for whoever does.
  ///
  /// - Returns: Why it ended.
  public func drain() async -> Round {
    guard await onDisk({ [self] in beginRound() }) else { return .busy }
    let round = await sendAll()
    guarded.withLock { $0.sending.finish() }
    roundEnd.set()
    return round
  }

  /// Says that sending may work now, since there is a network again: its own backoff is over.
  ///
  /// What a service asked for still holds.
  public func wake() {
    guarded.withLock { $0.sending.forgive() }
    signal.set()
  }

  /// Whether there may be records in the folder that cannot be sent now.
  private var isHindered: Bool {
    guarded.withLock { !$0.isShutDown && ($0.lock == nil || !$0.isWritten) }
  }

  private func sendAll() async -> Round {
    while true {
      if Task.isCancelled { return .cancelled }
      switch await onDisk({ [self] in takeBatch() }) {
      case .nothing: return .finished
      case .wait(let pause): return .paused(pause)
      case .send(let numbers, let request):
        if await send(request, numbers) == false { return .cancelled }
      case .note(let note):
        if await send(note) == false { return .cancelled }
      }
    }
  }

  /// How a request ended.
  private enum Ending: Sendable {
    /// With the service's answer, or without one.
    case over(Reply?)
    /// Before it began, since the store is held or suspended.
    case held
    case cancelled
  }

  private func carry(_ request: Request) async -> Ending {
    guard !guarded.withLock({ $0.isHalted }) else { return .held }
    do {
      return .over(
        try await Self.sending {
          try await CaptureScope.enter { try await transport.send(request) }
        })
    } catch {
      return Task.isCancelled && error.isCancellation ? .cancelled : .over(nil)
    }
  }

  /// False where it was cancelled.
  private func send(_ request: Request, _ numbers: [UInt64]) async -> Bool {
    let ending = await carry(request)
    await onDisk { [self] in
      if case .over(let reply) = ending { return end(numbers, reply) }
      putBack(numbers, wasRefused: false)
    }
    if case .cancelled = ending { return false }
    return true
  }

  /// False where it was cancelled.
  private func send(_ note: NoteRequest) async -> Bool {
    let ending = await carry(note.request)
    await onDisk { [self] in
      if case .over(let reply) = ending { return end(note, reply) }
      putBack(note)
    }
    if case .cancelled = ending { return false }
    return true
  }
}

// MARK: On the queue

extension ReportStore {
  private enum Batch: Sendable {
    case nothing
    case wait(Duration)
    case send([UInt64], Request)
    case note(NoteRequest)
  }

  private func beginRound() -> Bool {
    guard guarded.withLock({ $0.sending.begin() }) else { return false }
    open()
    makeRoom(for: nil)
    saveMemory()
    return true
  }

  private func takeBatch() -> Batch {
    // Every turn but the last one settles a file that is not what it was, or comes to know one, so
    // it ends.
    while true {
      // What cannot be settled is not sent: the next process would send it again.
      let isWritten = guarded.withLock { $0.isWritten } || writeLedger()
      let now = timeline.now
      let next = guarded.withLock { guarded -> ReportSendingStateMachine.Next in
        guard guarded.maySend else { return .nothing }
        let waiting = guarded.index.entries.filter { !$0.isSending }
        return guarded.sending.next(waiting.filter { isWritten || $0.isInMemory }, now: now)
      }
      switch next {
      case .nothing: return takeNote(now)
      case .wait(let pause): return .wait(pause)
      case .send(let numbers):
        switch read(numbers) {
        case .changed: continue
        case .stuck(let stuck): return putOff(stuck, now)
        case .read(let records):
          guarded.withLock { $0.index.beginSending(numbers) }
          folder.probe?.reached(.batchTaken)
          return .send(numbers, request(records))
        }
      }
    }
  }

  private func takeNote(_ now: Duration) -> Batch {
    switch nextNote(now: now) {
    case .nothing: .nothing
    case .wait(let pause): .wait(pause)
    case .send(let note): .note(note)
    }
  }

  private enum Reading {
    case read([Record])
    /// Some are gone, or something else than they seemed to be.
    case changed
    /// Some cannot be read now.
    case stuck([UInt64])
  }

  private func read(_ numbers: [UInt64]) -> Reading {
    let entries = guarded.withLock { guarded in numbers.compactMap { guarded.index.entry($0) } }
    let files = entries.map { (entry: $0, file: read($0)) }
    // What is gone or damaged is settled by now.
    let stuck = files.filter { $0.file == nil }.map(\.entry.number)
      .filter { number in guarded.withLock { $0.index.entry(number) != nil } }
    if !stuck.isEmpty { return .stuck(stuck) }
    for case (let known, let file?) in files where known.isUnread {
      let name = RecordName(number: known.number, id: known.id)
      let entry = entry(name, file, bytes: known.bytes)
      guarded.withLock { $0.index.identify(entry) }
    }
    let records = files.compactMap { $0.entry.isUnread ? nil : $0.file?.record }
    return records.count == numbers.count ? .read(records) : .changed
  }

  /// What cannot be read comes after the others, and after a pause.
  private func putOff(_ numbers: [UInt64], _ now: Duration) -> Batch {
    guarded.withLock { $0.index.putBack(numbers, wasRefused: true) }
    backOff(now)
    return .wait(guarded.withLock { $0.sending.pause(now: now) } ?? .seconds(1))
  }

  /// There was no answer, or nothing could be sent.
  private func backOff(_ now: Duration) {
    let delay = delay(after: nil)
    guarded.withLock { $0.sending.endWithoutReply(now: now, delay: delay ?? .zero) }
  }

  /// How long its own backoff is; asked outside of the lock, since a backoff may be the app's own
  /// code, which may call this store.
  private func delay(after reply: Reply?) -> Duration? {
    let (sending, fraction) = guarded.withLock { ($0.sending, $0.random.fraction()) }
    return sending.delay(after: reply, fraction: fraction)
  }

  private func request(_ records: [Record]) -> Request {
    var body = records.first?.body ?? Data()
    for record in records.dropFirst() {
      if body.last != UInt8(ascii: "\n") { body.append(UInt8(ascii: "\n")) }
      body.append(record.body)
    }
    return Request(
      body: body, headers: ["Content-Type": records.first?.contentType ?? ""],
      ids: records.map(\.id))
  }

  private func end(_ numbers: [UInt64], _ reply: Reply?) {
    folder.probe?.reached(.replied)
    let now = timeline.now
    // The folder may be somebody else's by now.
    guard !guarded.withLock({ $0.isShutDown }) else { return }
    guard let reply else {
      guarded.withLock { $0.index.requestFailed() }
      backOff(now)
      guarded.withLock { $0.index.unanswered(numbers) }
      return settleWaiting()
    }
    switch heed(reply, now) {
    case .sent(let rejected): settle(numbers) { $0.send(numbers, rejected: rejected) }
    case .dropped(let reason): settle(numbers) { $0.drop(numbers, reason) }
    case .stays: putBack(numbers, wasRefused: true)
    }
  }

  private func end(_ note: NoteRequest, _ reply: Reply?) {
    let now = timeline.now
    guard let reply else {
      guarded.withLock { $0.index.requestFailed() }
      backOff(now)
      return putBack(note)
    }
    if case .stays = heed(reply, now) { putBack(note) }
  }

  private func heed(_ reply: Reply, _ now: Duration) -> ReportSendingStateMachine.Verdict {
    let hint = replies.hint(of: reply, now: timeOfDay())
    let delay = delay(after: reply)
    return guarded.withLock { guarded in
      let verdict = guarded.sending.end(reply, hint, now: now, delay: delay)
      if case .sent = verdict {} else { guarded.index.requestFailed() }
      return verdict
    }
  }

  private func putBack(_ numbers: [UInt64], wasRefused: Bool) {
    guarded.withLock { $0.index.putBack(numbers, wasRefused: wasRefused) }
    settleWaiting()
  }

  private func settleWaiting() {
    withholdWithdrawn()
    // They count again.
    makeRoom(for: nil)
  }
}

extension ReportStore.ReplyPolicy {
  /// What a service says about when to come back.
  func hint(of reply: ReportStore.Reply, now: Date) -> ReportSendingStateMachine.Hint {
    if rateLimits == .sentry, let header = reply.header("x-sentry-rate-limits"),
      let limits = SentryRateLimits(header)
    {
      return .init(all: limits.all, categories: limits.categories)
    }
    guard reply.status == 429 || (500...599).contains(reply.status) else { return .init() }
    let asked = reply.header("retry-after").flatMap {
      AppError.retryAfter(header: $0, date: reply.header("date"), now: now)
    }
    return .init(all: asked ?? (reply.status == 429 ? .seconds(60) : nil))
  }
}

/// Wakes the one that sends: something is there to be sent, or a pause is over.
final class DrainSignal: AlarmTarget {
  private struct State {
    var isSet = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  /// Wakes whoever waits, or lets the next wait return at once.
  func set() {
    let waiters = state.withLock { state in
      state.isSet = state.waiters.isEmpty
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func ring() { set() }

  /// Returns when it is set, when a reading has come, or when the task is cancelled.
  func wait(until due: Duration?, on timeline: Timeline) async {
    let ticket = due.map { timeline.alarms.add(due: $0, target: self) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSet = state.withLock { state in
          defer { state.isSet = false }
          if !state.isSet { state.waiters.append(continuation) }
          return state.isSet
        }
        if isSet { continuation.resume() }
      }
    } onCancel: {
      set()
    }
    if let ticket { timeline.alarms.remove(ticket) }
  }
}
