// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// What is looked at after each step, and at the end.
extension SimulationRun {
  func inspect() {
    for device in disks.indices where !world.isBroken {
      count(device)
      explain(device)
    }
  }

  /// What was accepted is there, or accounted for.
  private func count(_ device: Int) {
    let (entries, vanished) = world.change { ($0.book.of(device), $0.book.vanished[device] ?? 0) }
    let finding = ask { [disk = disks[device]] () -> SimulationBook.Finding? in
      let ledger = try await disk.ledger()
      if !ledger.isBalanced { return ("the ledger balances", "that of device \(device) does not") }
      let there = Set(try await disk.operations(after: nil, limit: .max).map(\.id))
      let dead = Set(try await disk.deadLetters(after: nil, limit: .max).map(\.id))
      let missing = entries.filter { entry in
        entry.ending == nil && !there.contains(entry.id) && !dead.contains(entry.id)
      }
      let receipts = [OutboxReceipt.Reason.expired, .followed, .evicted].map(ledger.count)
      if missing.count + vanished > receipts.reduce(0, +) {
        let gone = missing + entries.filter { $0.ending == "gone" }
        let numbers = gone.map { "#\($0.number)" }.joined(separator: ", ")
        return ("nothing that was accepted is lost", "device \(device) has lost one of \(numbers)")
      }
      guard let back = entries.first(where: { $0.ending != nil && there.contains($0.id) }) else {
        return nil
      }
      return ("what is gone stays gone", "#\(back.number) is \(back.ending ?? ""), and waits again")
    }
    if let (law, details) = finding ?? nil { world.change { $0.violate(law, details) } }
  }

  /// At rest, something stands in the way of whatever waits.
  private func explain(_ device: Int) {
    guard let (outbox, life) = outbox(device) else { return }
    // What waits waits as long as it was told to, also where its time has come by a clock that was
    // set ahead: nobody is woken by that.
    let isAtRest = world.change { state in
      !state.turns.contains { $0.life === life } && !state.unaware.contains(device)
    }
    guard isAtRest else { return }
    let limit = world.date(on: device).addingTimeInterval(-1)
    let entries = world.change { $0.book.of(device).filter { $0.ending == nil } }
    let finding = ask { () -> String? in
      for entry in entries.prefix(4) {
        guard let explanation = try await outbox.explain(entry.id) else { continue }
        guard explanation.obstacles.allSatisfy({ $0.hasPassed(at: limit) }) else { continue }
        let why = explanation.obstacles.map(\.description).joined(separator: " ")
        return "nothing stands in the way of #\(entry.number) any more, and it is "
          + "\(explanation.state): “\(why)”"
      }
      return nil
    }
    if let details = finding ?? nil {
      world.change { $0.violate("explanations are true", "device \(device): \(details)") }
    }
  }

  func explanations(_ device: Int) -> [String] {
    guard let (outbox, _) = outbox(device) else { return ["device \(device) does not run"] }
    let entries = world.change { $0.book.of(device).filter { $0.ending == nil } }
    return ask {
      var lines: [String] = []
      for entry in entries.prefix(4) {
        guard let explanation = try await outbox.explain(entry.id) else { continue }
        let why = explanation.obstacles.map(\.description).joined(separator: " ")
        lines.append("#\(entry.number) of device \(device) is \(explanation.state): \(why)")
      }
      return lines
    } ?? []
  }

  /// What the owner of the simulation says about the end.
  func judge() {
    let accepted = world.change { state in
      state.book.ids.compactMap { state.book.entries[$0] }.map { entry in
        Simulation.Accepted(
          id: entry.id, device: entry.device, idempotencyKey: entry.key,
          orderingKey: entry.orderingKey, payload: entry.payload, isDone: entry.ending == "done")
      }
    }
    if let complaint = simulation.check(server.value, accepted) {
      world.change { $0.violate("the server ends as it should", complaint) }
    }
  }

  func report(_ steps: [SimulationStep], of count: Int) -> Simulation.Report {
    let (found, log, coverage) = world.change { ($0.violation, $0.log, $0.coverage) }
    let numbers = steps.map(\.number)
    let kept = numbers.count == count ? "" : ", keeping: \(numbers)"
    let violation = found.map { law, details in
      LawViolation(
        law: law, seed: world.seed,
        details: """
          \(details)
          \(steps.map { "  \($0)" }.joined(separator: "\n"))
          What happened last:
          \(log.suffix(16).map { "  \($0)" }.joined(separator: "\n"))
          Repeat: await simulation.run(seed: \(world.seed), steps: \(count)\(kept))
          """)
    }
    var report = Simulation.Report(
      violation: violation, log: log, coverage: coverage, steps: numbers)
    (report.edits, report.accepted, report.editError) = world.change { state in
      (state.edits, state.book.ids.count, state.editError)
    }
    return report
  }
}

extension Obstacle {
  /// Whether it says no more than that a time had to come, and it has.
  fileprivate func hasPassed(at date: Date) -> Bool {
    switch self {
    case .notBefore(let time, _), .lane(_, _, until: .some(let time)): time <= date
    default: false
    }
  }
}
