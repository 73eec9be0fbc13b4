// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What lies in the folder of a ``ReportStore``, seen from outside.
///
/// It takes no lock and changes nothing, so that it can be made while an app uses the folder.
package struct StoreSnapshot: Sendable {
  /// A record that waits in a file.
  package struct Waiting: Sendable {
    /// The record.
    package let record: ReportStore.Record
    /// How long its file is.
    package let bytes: Int
  }

  /// What waits in files, the first that was kept first.
  package private(set) var waiting: [Waiting] = []
  /// How many files of records are cut, damaged or kept from whoever reads.
  package private(set) var unreadable = 0
  /// How many records waited in the memory of the app when it last wrote its ledger.
  package private(set) var inMemory = 0
  /// The accounts with all that waits, and with damaged files as quarantined; nil where there is no
  /// ledger, or none that can be read.
  package private(set) var ledger: ReportStore.Ledger?
  /// How many damaged files were set aside and are still there.
  package private(set) var setAside = 0

  /// Whether all this was so at one moment: nobody changed the folder while it was read.
  package private(set) var isSteady = false

  /// The largest limit that a store may have, so that no file of its own is longer.
  private static let longestFile = 1_000_000_000
  /// How often a folder is looked at that changes meanwhile.
  private static let attempts = 20

  /// Reads a folder; nil where it cannot be listed, or is not that of a store.
  package init?(at path: String) {
    let folder = StoreFolder(path: path, probe: nil)
    // The ledger is written before a file goes. As long as it is another one afterwards, what was
    // seen belongs to no one moment. Of a folder that never rests, the last look has to do.
    var before = Self.ledger(in: folder)
    for _ in 0..<Self.attempts {
      guard let names = try? folder.names() else { return nil }
      let records = names.compactMap { RecordName($0) }
      guard before != nil || !records.isEmpty else { return nil }
      (waiting, unreadable) = ([], 0)
      read(records, in: folder, ledger: before)
      let after = Self.ledger(in: folder)
      isSteady = after == before
      if isSteady { break }
      before = after
    }
    let quarantine = StoreFolder(path: folder.place(StoreFolder.quarantine), probe: nil)
    // mainstay:ignore MS204 -- no folder holds no file
    setAside = ((try? quarantine.names()) ?? []).count { RecordName($0) != nil }
  }

  private static func ledger(in folder: StoreFolder) -> LedgerRecord? {
    let file = try? folder.read(ReportStore.ledgerName, limit: 2 * LedgerRecord.placeSize)
    return file.flatMap { LedgerRecord(newestIn: $0) }
  }

  private mutating func read(
    _ names: [RecordName], in folder: StoreFolder, ledger record: LedgerRecord?
  ) {
    let settled = Set(record?.settling ?? [])
    var found: [ReportIndexStateMachine.Entry] = []
    var damaged: [RecordName] = []
    for name in names where !settled.contains(name.number) {
      do throws(StoreFolder.Failure) {
        let bytes = try folder.read(name.text, limit: Self.longestFile)
        guard let bytes, let file = RecordFile(bytes), file.record.id == name.id else {
          damaged.append(name)
          continue
        }
        waiting.append(Waiting(record: file.record, bytes: bytes.count))
        found.append(Self.entry(name))
      } catch {
        // One that is missing was sent since its name was read; another one still waits.
        guard error != .missing else { continue }
        unreadable += 1
        found.append(Self.entry(name))
      }
    }
    unreadable += damaged.count
    guard let record else { return (inMemory, ledger) = (0, nil) }
    account(record, found, damaged)
  }

  /// As much of a record as its accounts need.
  private static func entry(_ name: RecordName) -> ReportIndexStateMachine.Entry {
    ReportIndexStateMachine.Entry(
      number: name.number, id: name.id, birth: .zero, bytes: 0, severity: .error,
      category: "", contentType: "")
  }

  /// What the next process would find, but that the records in memory are not lost so far.
  private mutating func account(
    _ record: LedgerRecord, _ found: [ReportIndexStateMachine.Entry], _ damaged: [RecordName]
  ) {
    var record = record
    // Some of them may have got a file after the ledger was written.
    let filed = Set(found.map(\.id) + damaged.map(\.id))
    inMemory = record.inMemory.count { !filed.contains($0) }
    record.inMemory = []
    var index = ReportIndexStateMachine(ReportIndexStateMachine.Settings())
    _ = index.open(record, isDamaged: false, found: found, damaged: damaged)
    var accounts = index.ledger
    accounts.captured += inMemory
    accounts.pending += inMemory
    ledger = accounts
  }
}
