// SPDX-License-Identifier: Apache-2.0

import Foundation

// Everything here runs on the store's queue, one piece of work at a time: between two looks at what
// is guarded nobody else changes which files there are.
extension ReportStore {
  static let ledgerName = "ledger"

  /// A record was handed over.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - isOwn: Whether it was reported by what this store calls.
  ///   - isUrgent: Whether it becomes a file also where little room is left, as critical ones do.
  /// - Returns: What became of it.
  func accept(_ record: Record, isOwn: Bool, isUrgent: Bool) -> Fate {
    open()
    let (isShutDown, isHeld) = guarded.withLock { ($0.isShutDown, $0.holds > 0) }
    if isOwn || isShutDown || isHeld {
      let reason = isShutDown ? DropReason.shutDown : isOwn ? .ownFailure : .withheld
      guarded.withLock { $0.index.refuse(reason, category: record.category) }
      return .dropped(reason)
    }
    var file = RecordFile(record, kept: timeOfDay().timeIntervalSince1970)
    var bytes = file.encoded
    var reason = reasonForMemory(isUrgent: isUrgent || record.severity == .critical)
    // Every turn drops or trims something, or ends; a folder that fails gets a second one at most.
    while true {
      let candidate = candidate(file, bytes: bytes.count, reason)
      switch makeRoom(for: candidate) {
      case .refuse(let why): return refuse(record, why)
      case .trimCandidate:
        guard let smaller = file.withoutSpare else { return refuse(record, .tooLarge) }
        file = smaller
        bytes = file.encoded
      default:
        if reason == nil, !write(bytes, of: record.id) {
          reason = guarded.withLock { $0.condition == .noSpace } ? .noSpace : .unwritable
          continue
        }
        return admit(candidate, file)
      }
    }
  }

  private func refuse(_ record: Record, _ reason: DropReason) -> Fate {
    guarded.withLock { $0.index.refuse(reason, category: record.category) }
    writeLedger()
    return .dropped(reason)
  }

  private func admit(_ candidate: ReportIndexStateMachine.Candidate, _ file: RecordFile) -> Fate {
    let now = timeline.now
    let isInMemory = candidate.memoryReason != nil
    guarded.withLock { guarded in
      let number = guarded.index.admit(candidate, now: now)
      if isInMemory { guarded.memory[number] = file }
    }
    if isInMemory { return .keptInMemory }
    saveMemory()
    return .kept
  }

  private func candidate(
    _ file: RecordFile, bytes: Int, _ reason: DropReason?
  ) -> ReportIndexStateMachine.Candidate {
    let record = file.record
    return .init(
      id: record.id, bytes: bytes,
      trimmedBytes: file.withoutSpare?.length, severity: record.severity,
      category: record.category, contentType: record.contentType, memoryReason: reason)
  }

  /// Drops and trims until a record fits, or all is within the limits.
  @discardableResult func makeRoom(
    for candidate: ReportIndexStateMachine.Candidate?
  ) -> ReportIndexStateMachine.Step {
    while true {
      let now = timeline.now
      let step = guarded.withLock { $0.index.step(for: candidate, now: now) }
      switch step {
      case .drop(let numbers, let reason): settle(numbers) { $0.drop(numbers, reason) }
      case .trim(let number): trim(number)
      default: return step
      }
    }
  }

  private func trim(_ number: UInt64) {
    guard let entry = guarded.withLock({ $0.index.entry(number) }) else { return }
    let name = RecordName(number: number, id: entry.id).text
    var size = entry.bytes
    if let smaller = read(entry)?.withoutSpare {
      let bytes = smaller.encoded
      do throws(StoreFolder.Failure) {
        try folder.write(bytes, to: name, replacing: true)
        size = bytes.count
      } catch {
        note(error)
        // The longer or the shorter form is there, and is dropped as a whole if need be.
        size = folder.look(name)?.bytes ?? size
      }
    }
    guarded.withLock { $0.index.trimmed(number, bytes: size) }
  }

  /// Why a record cannot become a file now; nil where that has to be tried.
  ///
  /// What is urgent leaves no room to others: its process may end before there is any. The disk
  /// itself says when it is full, and all files together have their limit.
  private func reasonForMemory(isUrgent: Bool) -> DropReason? {
    let isShort = !isUrgent && folder.room.map { $0 < configuration.reserve } ?? false
    return guarded.withLock { guarded in
      guard guarded.lock != nil else {
        return guarded.condition == .noSpace ? .noSpace : .unwritable
      }
      guard isShort else { return nil }
      guarded.condition = .noSpace
      return .noSpace
    }
  }

  private func write(_ bytes: [UInt8], of id: UUID) -> Bool {
    let number = guarded.withLock { $0.index.nextNumber }
    do throws(StoreFolder.Failure) {
      try folder.write(bytes, to: RecordName(number: number, id: id).text)
      guarded.withLock { $0.condition = .writing }
      return true
    } catch {
      guarded.withLock { _ = $0.index.takeNumber() }
      note(error)
      return false
    }
  }

  /// Gives files to what waits in memory, now that the folder works.
  func saveMemory() {
    let waiting = guarded.withLock { guarded in
      guarded.lock == nil ? [] : guarded.index.inMemory.filter { !$0.isSending }
    }
    guard !waiting.isEmpty else { return }
    let isRoomy = reasonForMemory(isUrgent: false) == nil
    for entry in waiting where isRoomy || entry.severity == .critical {
      guard let file = guarded.withLock({ $0.memory[entry.number] }) else { continue }
      guard write(file.encoded, of: entry.id) else { break }
      // A process that dies here leaves a ledger that names the record: its file is found.
      guarded.withLock { guarded in
        guarded.index.moveToDisk(entry.number)
        guarded.memory[entry.number] = nil
      }
    }
    writeLedger()
  }

  /// What the system says about a folder that does not work.
  func note(_ failure: StoreFolder.Failure) {
    let path = folder.path
    guarded.withLock { guarded in
      switch failure {
      case .noSpace: guarded.condition = .noSpace
      case .missing: guarded.condition = .unwritable("the folder is missing")
      case .other(let text): guarded.condition = .unwritable(text)
      }
      // Somebody took the folder away, or put another one in its place: it is opened again.
      if failure == .missing, guarded.lock?.holds(path) == false {
        guarded.lock = nil
      }
    }
  }
}

// MARK: Settling

extension ReportStore {
  /// Counts what becomes of records, writes that down, and only then takes their files away.
  func settle(
    _ numbers: [UInt64], aside: Bool = false,
    _ count: (inout ReportIndexStateMachine) -> Void
  ) {
    let files = guarded.withLock { guarded in
      let files = numbers.compactMap { guarded.index.entry($0) }.filter { !$0.isInMemory }
      count(&guarded.index)
      for number in numbers { guarded.memory[number] = nil }
      return files.map { RecordName(number: $0.number, id: $0.id) }
    }
    guard !files.isEmpty else { return }
    let isWritten = writeLedger()
    remove(files, aside: aside)
    // A disk that was full has room now.
    if !isWritten { writeLedger() }
  }

  func remove(_ files: [RecordName], aside: Bool = false) {
    var gone: [UInt64] = []
    for file in files {
      do throws(StoreFolder.Failure) {
        if aside { try folder.setAside(file.text) } else { try folder.remove(file.text) }
        folder.probe?.reached(.fileRemoved)
        gone.append(file.number)
      } catch { note(error) }
    }
    do throws(StoreFolder.Failure) {
      try folder.sync()
      guarded.withLock { $0.index.settled(gone) }
    } catch { note(error) }
    folder.probe?.reached(.filesRemoved)
  }

  /// Writes the accounts down.
  ///
  /// - Parameter anew: Whether the file on the disk is none of the store's making.
  /// - Returns: Whether they are on the disk.
  @discardableResult func writeLedger(anew: Bool = false) -> Bool {
    let record = guarded.withLock { guarded -> LedgerRecord? in
      guard guarded.lock != nil else { return nil }
      var record = guarded.index.persisted
      record.revision = guarded.revision + 1
      return record
    }
    guard let record, let place = record.encoded() else { return false }
    var failure: StoreFolder.Failure? = anew ? .missing : nil
    if !anew {
      do throws(StoreFolder.Failure) {
        try folder.overwrite(Self.ledgerName, at: place.offset, with: place.bytes)
      } catch { failure = error }
    }
    if failure == .missing { failure = createLedger(record) }
    if let failure { note(failure) }
    let isWritten = failure == nil
    guarded.withLock { guarded in
      guarded.isWritten = isWritten
      // Where it failed, the next writing goes to the same place: the other one is whole.
      if isWritten { guarded.revision = record.revision }
    }
    return isWritten
  }

  private func createLedger(_ record: LedgerRecord) -> StoreFolder.Failure? {
    do throws(StoreFolder.Failure) {
      try folder.write(record.wholeFile(), to: Self.ledgerName, replacing: true)
    } catch {
      return error
    }
    return nil
  }

  /// The record of an entry; nil where it is gone, which is settled then, or cannot be read now.
  func read(_ entry: ReportIndexStateMachine.Entry) -> RecordFile? {
    if entry.isInMemory { return guarded.withLock { $0.memory[entry.number] } }
    let name = RecordName(number: entry.number, id: entry.id).text
    do throws(StoreFolder.Failure) {
      if let bytes = try folder.read(name, limit: longestFile),
        let file = RecordFile(bytes), file.record.id == entry.id
      {
        return file
      }
      settle([entry.number], aside: true) { $0.quarantine(entry.number) }
    } catch {
      if error == .missing {
        settle([entry.number]) { $0.drop([entry.number], .lost) }
      } else {
        note(error)
      }
    }
    return nil
  }
}
