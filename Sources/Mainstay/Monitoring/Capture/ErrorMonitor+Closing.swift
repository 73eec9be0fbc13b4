// SPDX-License-Identifier: Apache-2.0

import Foundation

// What was counted and not told is told by itself where its group falls silent, and at the end: a
// burst that is over would otherwise stand in sinks as its first few.
extension ErrorMonitor {
  /// Tells what was counted of a group, of critical ones or of milder ones.
  ///
  /// The last one that was suppressed is told after all, in the words of the newest report of its
  /// kind, and carries the count of the others.
  func tell(_ closing: CaptureShard.Machine.Closing) {
    var fields = closing.sample.fields
    // Another failure than the sample, though nothing more is known of it.
    fields.id = UUID()
    fields.time = closing.suppressed.last
    fields.suppressed = closing.suppressed.withoutLast
    fields.presentation = nil
    fields.recovery = nil
    let kept = KeptReport(ErrorReport(fields))
    // Both at once, so that the ledger never counts it twice, nor not at all.
    memory.withLock { memory in
      memory.kept += 1
      memory.closings += 1
    }
    for lane in lanes { lane.offer(kept, .inTurn) }
    keeper?.note()
  }

  /// A group has something to tell, which is to be told then.
  func noteUntold(due: Duration) {
    let isEarlier = nextClosing.withLock { next in
      if let next, next <= due { return false }
      next = due
      return true
    }
    guard isEarlier else { return }
    closingAlarm.adjust(to: { nextClosing.withLock { $0 } }) { [weak self] in
      self?.closeSilentGroups()
    }
  }

  private func closeSilentGroups() {
    let now = timeline.now
    nextClosing.withLock { $0 = nil }
    let dues = shards.compactMap { shard in
      let (closings, next) = shard.withLock { $0.close(at: now) }
      for closing in closings { tell(closing) }
      return next
    }
    // No more than one look each second, however many groups there are.
    if let due = dues.min() { noteUntold(due: max(due, min(now, .latestReading) + .seconds(1))) }
  }

  /// Tells what was counted of all groups, since nothing comes any more.
  func closeAllGroups() {
    for shard in shards {
      for closing in shard.withLock({ $0.close(at: nil).closings }) { tell(closing) }
    }
  }
}
