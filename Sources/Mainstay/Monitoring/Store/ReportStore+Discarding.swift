// SPDX-License-Identifier: Apache-2.0

extension ReportStore {
  /// Drops all that waits, since it may not be sent any more: counted as `withheld`.
  ///
  /// What is in a request that has no answer yet cannot be called back: it is dropped where it
  /// would be sent again, also by the next process. Where the folder is not open, such as while
  /// another store has it, what is found there later is dropped then.
  public func discard() async { await onDisk { [self] in discardAll() } }

  /// Sends and keeps nothing more, from when this returns until ``endHold()``.
  ///
  /// What is handed over meanwhile counts as `withheld`; a request that was begun goes on.
  func hold() { guarded.withLock { $0.holds += 1 } }

  func endHold() {
    guarded.withLock { $0.holds -= 1 }
    signal.set()
  }

  var isHeld: Bool { guarded.withLock { $0.holds > 0 } }

  /// Sends nothing more, from when this returns until ``endSuspension()``, and keeps what comes; a
  /// request that was begun goes on.
  func suspend() { guarded.withLock { $0.suspensions += 1 } }

  func endSuspension() {
    guarded.withLock { $0.suspensions -= 1 }
    signal.set()
  }

  /// So many records were not handed over, since it is held.
  func withhold(_ count: Int, category: String) async {
    await onDisk { [self] in
      guarded.withLock { guarded in
        for _ in 0..<count { guarded.index.refuse(.withheld, category: category) }
      }
    }
  }

  private func discardAll() {
    open()
    guarded.withLock { guarded in
      guarded.notes = []
      guarded.discards += 1
    }
    let waiting = guarded.withLock { guarded -> [UInt64] in
      // What is in the folder is its next owner's.
      guard !guarded.isShutDown else { return [] }
      guarded.discardsFound = !guarded.wasOpen
      return guarded.index.withdraw()
    }
    withhold(waiting)
    // Whole reports may be among the damaged ones.
    if guarded.withLock({ $0.lock != nil }) { folder.clearAside { _ in true } }
    // Those in memory have no file to settle, and the ledger on the disk may name them.
    writeLedger()
  }

  /// Drops what was found in a folder that could not be opened when all was to be dropped.
  func discardFound(_ numbers: [UInt64]) {
    let isDue = guarded.withLock { guarded in
      defer { guarded.discardsFound = false }
      return guarded.discardsFound
    }
    guard isDue else { return }
    withhold(numbers)
    folder.clearAside { _ in true }
  }

  /// Drops what was being sent when all was to be dropped, and has come back or was found.
  ///
  /// - Parameter whileSending: Whether that is dropped, too, which is still being sent: nobody will
  ///   hear of its end.
  func withholdWithdrawn(whileSending: Bool = false) {
    withhold(
      guarded.withLock { guarded in
        guarded.index.entries.filter { $0.isWithdrawn && (whileSending || !$0.isSending) }
          .map(\.number)
      })
  }

  private func withhold(_ numbers: [UInt64]) {
    var rest = numbers[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(ReportIndexStateMachine.settledAtOnce))
      settle(part) { $0.drop(part, .withheld) }
      rest = rest.dropFirst(part.count)
    }
  }
}
