// SPDX-License-Identifier: Apache-2.0

/// Which shared runs wait for which: a pure value, which finds circles before they are closed.
struct CoalescedWaits: Sendable {
  /// A run, or a caller, of one place where runs are shared.
  struct Name: Hashable, Sendable {
    let place: ObjectIdentifier
    let number: UInt64
  }

  typealias Run = Name

  /// For which runs those inside of each run wait, and how many of them do.
  private var waited: [Run: [Run: Int]] = [:]
  private var waitByCaller: [Name: (inside: Set<Run>, run: Run)] = [:]

  /// Whether nobody waits.
  var isEmpty: Bool { waited.isEmpty && waitByCaller.isEmpty }

  /// A caller is about to wait for a run.
  ///
  /// - Parameters:
  ///   - caller: Who, which is not waiting yet.
  ///   - inside: The runs that the caller is inside of, which end only after it.
  ///   - run: The run that it waits for.
  /// - Returns: Whether it waits; not where that run waits for one that the caller is inside of, by
  ///   whatever way.
  mutating func begin(_ caller: Name, inside: Set<Run>, for run: Run) -> Bool {
    guard !waits(run, forOneOf: inside) else { return false }
    for outer in inside { waited[outer, default: [:]][run, default: 0] += 1 }
    waitByCaller[caller] = (inside, run)
    return true
  }

  /// A caller does not wait any more; nothing happens where it did not.
  mutating func end(_ caller: Name) {
    guard let (inside, run) = waitByCaller.removeValue(forKey: caller) else { return }
    for outer in inside {
      guard let count = waited[outer]?[run] else { continue }
      waited[outer]?[run] = count > 1 ? count - 1 : nil
      if waited[outer]?.isEmpty == true { waited[outer] = nil }
    }
  }

  private func waits(_ first: Run, forOneOf ends: Set<Run>) -> Bool {
    var (seen, left) = (Set([first]), [first])
    while let run = left.popLast() {
      if ends.contains(run) { return true }
      for next in waited[run, default: [:]].keys where seen.insert(next).inserted {
        left.append(next)
      }
    }
    return false
  }
}
