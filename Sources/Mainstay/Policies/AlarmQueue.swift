// SPDX-License-Identifier: Apache-2.0

/// Which alarms are due when, and until when somebody has to sleep: the pure part of ``Alarms``.
///
/// Sleepers are never woken early, since a cancelled `Task.sleep` keeps its memory until the time
/// it was to last to. Instead a new one is started when an alarm is due before all of them wake up;
/// each sleeps on for whoever is left. An alarm that is taken back leaves a stale entry, which is
/// dropped when it comes up or when stale entries outnumber the live ones.
struct AlarmQueue<Target: Sendable>: Sendable {
  /// Names an alarm to take it back; one that has rung or was taken back names nothing.
  struct Ticket: Sendable {
    fileprivate let slot: Int
    fileprivate let generation: UInt64
  }

  private struct Entry {
    let due: Duration
    let ticket: Ticket
  }

  private struct Slot {
    var generation: UInt64
    var target: Target?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var wakeUps: [Duration] = []

  /// How many alarms wait.
  var count: Int { slots.count - freeSlots.count }
  /// When each of those that wait is due, in no order.
  var dues: [Duration] {
    heap.filter { slots[$0.ticket.slot].generation == $0.ticket.generation }.map(\.due)
  }
  /// How many entries the heap holds, stale ones included.
  var entryCount: Int { heap.count }
  /// How many sleepers there are.
  var sleeperCount: Int { wakeUps.count }

  /// Adds an alarm.
  ///
  /// - Returns: Its ticket, and until when a new sleeper has to sleep, where one is needed.
  mutating func add(due: Duration, target: Target) -> (ticket: Ticket, sleepUntil: Duration?) {
    let slot = freeSlots.popLast() ?? slots.endIndex
    if slot == slots.endIndex {
      slots.append(Slot(generation: 0, target: target))
    } else {
      slots[slot].target = target
    }
    let ticket = Ticket(slot: slot, generation: slots[slot].generation)
    push(Entry(due: due, ticket: ticket))
    return (ticket, newWakeUp(for: due))
  }

  /// Takes an alarm back.
  mutating func remove(_ ticket: Ticket) {
    guard take(ticket) != nil else { return }
    if heap.count > 64, heap.count > 2 * count { compact() }
  }

  /// A sleeper woke up.
  ///
  /// - Parameters:
  ///   - wakeUp: Until when it was to sleep.
  ///   - now: The reading of the clock.
  /// - Returns: What rings, and until when this sleeper has to sleep on, where it is still needed.
  mutating func wake(
    sleeperUntil wakeUp: Duration, now: Duration
  ) -> (ringing: [Target], sleepUntil: Duration?) {
    if let index = wakeUps.firstIndex(of: wakeUp) { wakeUps.remove(at: index) }
    var ringing: [Target] = []
    while let first = heap.first {
      let isStale = slots[first.ticket.slot].generation != first.ticket.generation
      guard isStale || first.due <= now else { break }
      pop()
      if let target = take(first.ticket) { ringing.append(target) }
    }
    return (ringing, heap.first.flatMap { newWakeUp(for: $0.due) })
  }

  private mutating func newWakeUp(for due: Duration) -> Duration? {
    guard !wakeUps.contains(where: { $0 <= due }) else { return nil }
    wakeUps.append(due)
    return due
  }

  private mutating func take(_ ticket: Ticket) -> Target? {
    guard slots[ticket.slot].generation == ticket.generation,
      let target = slots[ticket.slot].target
    else { return nil }
    slots[ticket.slot] = Slot(generation: ticket.generation + 1, target: nil)
    freeSlots.append(ticket.slot)
    return target
  }

  private mutating func compact() {
    let live = heap.filter { slots[$0.ticket.slot].generation == $0.ticket.generation }
    heap.removeAll(keepingCapacity: true)
    for entry in live { push(entry) }
  }
}

// A binary heap, the earliest first.
extension AlarmQueue {
  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].due < heap[parent].due else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func pop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].due < heap[least].due {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
