// SPDX-License-Identifier: Apache-2.0

import Mainstay

// MARK: Rules that ask somebody else

extension FormStateMachine {
  /// Takes what the rules say about a field, and asks anew where that is due.
  mutating func judge(_ new: Rejudged, now: Duration) -> [Action] {
    let index = new.index
    // A mistake that stays is the same one: a screen does not read it aloud again.
    let isSame = fields[index].judgement.error == new.judgement.error
    var actions: [Action] = []
    if new.isAskedAnew { actions += stopAsking(index, leaving: .owed) }
    change(index) { field in
      if let old = field.judgement.error, isSame {
        field.judgement = if case .empty = new.judgement { .empty(old) } else { .mistake(old) }
      } else {
        field.judgement = new.judgement
      }
    }
    return actions + owe(index, now: now)
  }

  /// Asks what is owed where the other rules pass, and stops asking where they do not.
  private mutating func owe(_ index: Int, now: Duration) -> [Action] {
    let field = fields[index]
    switch (field.judgement, field.asking) {
    case (.passed, .owed):
      guard let first = field.asks.first else {
        change(index) { $0.asking = .unasked }
        return []
      }
      let isHurried = if case .checking = phase { true } else { false }
      let due = isHurried ? now : now + first.delay
      change(index) { $0.asking = .waiting(until: due) }
      active.insert(index)
      return []
    case (.blank, .owed):
      change(index) { $0.asking = .unasked }
      return []
    case (.empty, .waiting), (.empty, .running), (.mistake, .waiting), (.mistake, .running),
      (.blank, .waiting), (.blank, .running):
      return stopAsking(index, leaving: .owed)
    default: return []
    }
  }

  /// Whatever is asked about a field is not waited for any more.
  private mutating func stopAsking(_ index: Int, leaving asking: Asking) -> [Action] {
    var actions: [Action] = []
    if case .running(let run) = fields[index].asking {
      runs[run.id] = nil
      actions = [.stop(run: run.id)]
    }
    active.remove(index)
    change(index) { $0.asking = asking }
    return actions
  }

  /// When something is to be done next without anybody doing anything; nil where nothing is.
  var nextChange: Duration? {
    let hasRoom = runs.count < Self.maximumRuns
    return active.compactMap { index -> Duration? in
      switch fields[index].asking {
      case .running(let run): run.until
      case .waiting(let due): hasRoom ? due : nil
      default: nil
      }
    }.min()
  }

  /// Time has passed.
  mutating func advance(to now: Duration) -> [Action] {
    guard !active.isEmpty else { return [] }
    var actions: [Action] = []
    for index in active.sorted() {
      guard case .running(let run) = fields[index].asking, run.until <= now else { continue }
      actions.append(.giveUp(field: index, run: run.id))
      actions += end(run, of: index, with: .unsure, now: now)
    }
    return actions + begin(now: now)
  }

  /// Asks about the fields that have waited long enough, the longest first, while there is room.
  private mutating func begin(now: Duration) -> [Action] {
    guard runs.count < Self.maximumRuns else { return [] }
    let due = active.compactMap { index -> (until: Duration, index: Int)? in
      guard case .waiting(let until) = fields[index].asking, until <= now else { return nil }
      return (until, index)
    }
    return due.sorted { $0 < $1 }.prefix(Self.maximumRuns - runs.count).map { due in
      ask(due.index, rule: 0, isUnsure: false, now: now)
    }
  }

  private mutating func ask(_ index: Int, rule: Int, isUnsure: Bool, now: Duration) -> Action {
    let run = Run(
      id: nextNumber(), rule: rule, until: now + fields[index].asks[rule].limit,
      isUnsure: isUnsure)
    runs[run.id] = index
    change(index) { $0.asking = .running(run) }
    return .ask(field: index, rule: rule, run: run.id)
  }

  /// Somebody has answered; an answer that nobody waits for any more changes nothing.
  mutating func answer(_ id: UInt64, _ answer: Answer, now: Duration) -> [Action] {
    guard let index = runs[id], case .running(let run) = fields[index].asking, run.id == id else {
      return []
    }
    return end(run, of: index, with: answer, now: now) + advance(to: now)
  }

  private mutating func end(
    _ run: Run, of index: Int, with answer: Answer, now: Duration
  ) -> [Action] {
    runs[run.id] = nil
    let isUnsure = if case .unsure = answer { true } else { run.isUnsure }
    if case .mistake(let error) = answer {
      active.remove(index)
      let isLate = isElsewhere(index)
      change(index) { field in
        field.asking = .mistake(error)
        field.isLate = isLate
      }
      return []
    }
    guard run.rule + 1 < fields[index].asks.count else {
      active.remove(index)
      let isLate = isElsewhere(index)
      change(index) { field in
        field.asking = isUnsure ? .unchecked : .passed
        field.isLate = isLate
      }
      return []
    }
    return [ask(index, rule: run.rule + 1, isUnsure: isUnsure, now: now)]
  }

  /// Whether the person is not in a field, and does not wait for the form to be sent either.
  private func isElsewhere(_ index: Int) -> Bool { phase == .editing && focus != index }
}
