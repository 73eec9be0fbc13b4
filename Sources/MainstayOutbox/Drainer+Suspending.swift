// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

// How runs end before their time.
extension Drainer {
  func pause() {
    isPaused = true
    endPauseWaits()
  }

  /// Goes on after a pause, for a time that somebody has.
  ///
  /// - Returns: What ``resume()`` returns, and a stream that ends when it is paused again or has
  ///   been suspended, with the number by which it is left.
  func drain() -> (turn: AsyncStream<Never>, pause: AsyncStream<Never>, number: Int) {
    let (pause, waiter) = AsyncStream.makeStream(of: Never.self)
    pauseWaiters.last += 1
    pauseWaiters.streams[pauseWaiters.last] = waiter
    return (resume(), pause, pauseWaiters.last)
  }

  /// Nobody waits any more who was given this number.
  func leaveDrain(_ number: Int) { pauseWaiters.streams[number] = nil }

  /// The store was told of a suspension; somebody may have resumed meanwhile.
  func hasSuspended() {
    if isSuspended { endPauseWaits() }
  }

  private func endPauseWaits() {
    let waiters = pauseWaiters.streams.values
    pauseWaiters.streams = [:]
    for waiter in waiters { waiter.finish() }
  }

  /// Goes on after a pause.
  ///
  /// - Returns: It ends when what is due now was made ready and begun, as far as that can be. It
  ///   ends, too, where the store fails, at the end of the drainer, and for a task that is
  ///   cancelled.
  @discardableResult func resume() -> AsyncStream<Never> {
    // Others may have closed lanes in the file meanwhile.
    if isSuspended { laneWork.mustFind = true }
    (isPaused, isSuspended) = (false, false)
    resumptions += 1
    settings.granted.suspend(until: nil)
    // A suspension that waits for what runs is over; the end of the drainer is not.
    if !isEnding { wakeIdleWaiters() }
    let (turn, waiter) = AsyncStream.makeStream(of: Never.self)
    if isEnding { waiter.finish() } else { turnWaiters.append(waiter) }
    wake()
    return turn
  }

  /// Starts nothing any more, and returns when nothing runs, or as soon as somebody resumes.
  ///
  /// What runs longer is cancelled and given back, and what does not heed that is given up on. What
  /// is heard meanwhile, such as of a better network, is done once somebody resumes.
  ///
  /// - Returns: Whether nothing runs; false where somebody has resumed meanwhile.
  func suspend(within patience: Duration) async -> Bool {
    (isPaused, isSuspended) = (true, true)
    let before = resumptions
    let end = settings.timeline.now + patience.clamped
    // Before the first wait: whoever resumes during one takes it back.
    settings.granted.suspend(until: end)
    if isLooking { await withCheckedContinuation { lookWaiters.append($0) } }
    guard resumptions == before else { return false }
    await idle(until: end)
    guard resumptions == before else { return false }
    cancelAll()
    await idle(until: settings.timeline.now + Self.grace)
    // Work that ended well is not done again: its end goes on to the store.
    for (lease, run) in running where !settling.contains(lease) {
      // Who resumes also lets those go on to their end that were cancelled.
      guard resumptions == before else { return false }
      await giveUp(on: run.operation, lease)
    }
    return resumptions == before
  }

  /// Ends the loop, and gives back what runs; what does not heed that is given back by the store.
  func shutDown() async {
    isEnding = true
    wake()
    await loop?.value
    await owed.end()
    cancelAll()
    await idle(until: settings.timeline.now + Self.longGrace)
    (running, settling) = ([:], [])
  }

  /// Ends all runs; what they have leased may be somebody else's by now.
  func cancelAll() {
    for run in running.values { run.task.cancel() }
  }

  /// Ends own runs that another process has cancelled.
  func heedOthers() async throws {
    if wakes.takeHint() { mustHeedOthers = true }
    guard mustHeedOthers else { return }
    if !running.isEmpty, let store = store as? any SharedStore {
      for id in try await store.cancelledRuns() { cancelRun(of: id) }
    }
    mustHeedOthers = false
  }

  /// Returns when nothing runs, or at a moment.
  private func idle(until end: Duration) async {
    guard !running.isEmpty else { return }
    let alarm = Task {
      // Ends early where the runs have ended before.
      guard (try? await settings.timeline.sleep(until: end)) != nil else { return }
      wakeIdleWaiters()
    }
    await withCheckedContinuation { idleWaiters.append($0) }
    alarm.cancel()
    await alarm.value
  }

  func wakeIdleWaiters() {
    let waiters = idleWaiters
    idleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Nobody waits for a run any more that does not end, and whatever it says later is not heard.
  private func giveUp(on operation: StoredOperation, _ lease: Lease) async {
    guard running.removeValue(forKey: lease) != nil else { return }
    settling.remove(lease)
    settings.progress.end(lease)
    rate.ended(well: false, at: settings.timeline.now)
    await owed.giveBack(lease, of: operation)
  }
}
