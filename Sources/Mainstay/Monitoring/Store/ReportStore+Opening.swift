// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ReportStore {
  /// Goes on with what is in the folder; where it cannot be opened, the next record tries again.
  func open() {
    let isOpen = guarded.withLock { $0.lock != nil || $0.isShutDown }
    guard !isOpen else { return }
    do throws(StoreFolder.Failure) {
      try folder.prepare()
      guard let lock = try FolderLock(path: folder.path, probe: folder.probe) else {
        guarded.withLock { $0.condition = .lockedByAnother }
        return
      }
      if guarded.withLock({ $0.wasOpen }) { try takeAgain(lock) } else { try take(lock) }
    } catch { note(error) }
  }

  private func take(_ lock: FolderLock) throws(StoreFolder.Failure) {
    let names = try folder.names()
    for name in names where isUnfinished(name) { _ = try? folder.remove(name) }
    let (record, isDamaged) = try readLedger()
    let (found, damaged) = readFiles(names.compactMap { RecordName($0) })
    // A folder whose ledger cannot be written is not used: all that is sent from it would be sent
    // again by the next process.
    let before = guarded.withLock { guarded in (guarded.index, guarded.revision) }
    let counted = guarded.withLock { guarded in
      guarded.lock = lock
      guarded.condition = .writing
      guarded.revision = max(guarded.revision, record?.revision ?? 0)
      return Set(
        guarded.index.open(
          record, isDamaged: isDamaged, found: found, damaged: damaged))
    }
    guard writeLedger(anew: isDamaged) else {
      guarded.withLock { guarded in
        (guarded.index, guarded.revision) = before
        guarded.lock = nil
      }
      return
    }
    guarded.withLock { $0.wasOpen = true }
    let all = found.map { RecordName(number: $0.number, id: $0.id) } + damaged
    let leftovers = all.filter { counted.contains($0.number) }
    if !leftovers.isEmpty { remove(leftovers) }
    let broken = damaged.filter { !counted.contains($0.number) }
    if !broken.isEmpty { remove(broken, aside: true) }
    withholdWithdrawn()
    discardFound(found.map(\.number))
    makeRoom(for: nil)
    saveMemory()
    let oldest =
      timeOfDay().timeIntervalSince1970 - configuration.maximumAge.clamped.inSeconds
    folder.clearAside { $0 < oldest }
  }

  /// How many bytes a file has at most that is read: one that an earlier limit allowed is whole.
  var longestFile: Int { max(configuration.maximumBytes, 64_000_000) }

  /// Somebody took the folder away, or put another one in its place.
  ///
  /// What is known of its records stays, and those that are gone are found to be so when they are
  /// to be sent.
  private func takeAgain(_ lock: FolderLock) throws(StoreFolder.Failure) {
    let (record, isDamaged) = try readLedger()
    guarded.withLock { guarded in
      guarded.lock = lock
      guarded.condition = .writing
      guarded.revision = max(guarded.revision, record?.revision ?? 0)
    }
    if !writeLedger(anew: isDamaged) { guarded.withLock { $0.lock = nil } }
  }

  private func isUnfinished(_ name: String) -> Bool {
    guard name.hasSuffix(RecordName.temporaryEnding) else { return false }
    let rest = String(name.dropLast(RecordName.temporaryEnding.count))
    return rest == Self.ledgerName || RecordName(rest) != nil
  }

  /// The ledger, and whether there is one that is damaged.
  private func readLedger() throws(StoreFolder.Failure) -> (LedgerRecord?, Bool) {
    do throws(StoreFolder.Failure) {
      // A bad place of the disk may cost the accounts, but not the use of the folder.
      let file = try folder.read(
        Self.ledgerName, limit: 2 * LedgerRecord.placeSize, hopeless: [EIO])
      if let file, let record = LedgerRecord(newestIn: file),
        file.count == 2 * LedgerRecord.placeSize
      {
        return (record, false)
      }
      return (file.flatMap { LedgerRecord(newestIn: $0) }, true)
    } catch {
      guard error == .missing else { throw error }
      return (nil, false)
    }
  }

  private func readFiles(
    _ names: [RecordName]
  ) -> (found: [ReportIndexStateMachine.Entry], damaged: [RecordName]) {
    var found: [ReportIndexStateMachine.Entry] = []
    var damaged: [RecordName] = []
    for name in names {
      do throws(StoreFolder.Failure) {
        let bytes = try folder.read(name.text, limit: longestFile)
        if let bytes, let file = RecordFile(bytes), file.record.id == name.id {
          found.append(note(name, file, bytes: bytes.count))
        } else {
          damaged.append(name)
        }
      } catch {
        // One that is missing somebody else took since its name was read.
        if error != .missing, let unread = unread(name) { found.append(unread) }
      }
    }
    return (found, damaged)
  }

  /// What a file says about the record in it; where it is from the future, that is written down, so
  /// that its age begins now and not with each process anew.
  private func note(
    _ name: RecordName, _ file: RecordFile, bytes: Int
  ) -> ReportIndexStateMachine.Entry {
    guard let noted = file.foundAhead(at: timeOfDay().timeIntervalSince1970) else {
      return entry(name, file, bytes: bytes)
    }
    let encoded = noted.encoded
    do throws(StoreFolder.Failure) {
      try folder.write(encoded, to: name.text, replacing: true)
      return entry(name, noted, bytes: encoded.count)
    } catch _ {
      // The next process tries again.
      return entry(name, noted, bytes: folder.look(name.text)?.bytes ?? bytes)
    }
  }

  /// What a file says about the record in it.
  func entry(
    _ name: RecordName, _ file: RecordFile, bytes: Int
  ) -> ReportIndexStateMachine.Entry {
    ReportIndexStateMachine.Entry(
      number: name.number, id: name.id,
      birth: birth(at: file.start(at: timeOfDay().timeIntervalSince1970)), bytes: bytes,
      trimmedBytes: file.withoutSpare?.length, severity: file.record.severity,
      category: file.record.category, contentType: file.record.contentType)
  }

  /// A file that cannot be read now, as far as its folder says; it comes after the others.
  private func unread(_ name: RecordName) -> ReportIndexStateMachine.Entry? {
    folder.look(name.text).map { look in
      ReportIndexStateMachine.Entry(
        number: name.number, id: name.id, birth: birth(at: look.time), bytes: look.bytes,
        severity: .error, category: "other", contentType: "", attempts: 1, isUnread: true)
    }
  }

  /// The reading at which something was kept, by the time of day.
  private func birth(at time: Double) -> Duration {
    timeline.now - Duration.clamped(seconds: timeOfDay().timeIntervalSince1970 - time)
  }
}
