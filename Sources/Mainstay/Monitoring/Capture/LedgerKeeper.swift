// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Keeps the ledger of a monitor in a file, so that it goes on after a restart.
///
/// It is written on a queue of its own, never where an error is captured: soon after something has
/// changed, and not again within the next second.
final class LedgerKeeper: Sendable {
  /// What a monitor says of itself.
  struct Account: Sendable, Equatable {
    var ledger: ErrorMonitor.Ledger
    /// What became of all that each sink that keeps reports ever accepted.
    var accounts: [String: ErrorMonitor.Ledger.Account] = [:]
  }

  /// What an earlier run left.
  struct Found: Sendable {
    var ledger: ErrorMonitor.Ledger?
    var accounts: [String: ErrorMonitor.Ledger.Account] = [:]
    /// Whether it left no last word: it was killed, or the file is damaged.
    var wasInterrupted = false
  }

  private struct State {
    var revision: UInt64
    /// Whether there is no file, or one that is not whole.
    var isAnew: Bool
    /// What the file says; nil where this process has not written it so far.
    var written: Account?
    var isRunning = false
    /// Whether what is written next is the last word, and whether that is in the file.
    var isEnding = false
    var isEnded = false
    var source: (@Sendable () -> Account?)?
  }

  let found: Found
  /// Whether there is no file that cannot be read now: such a one is left as it is.
  private let isUsable: Bool
  private let state: Locked<State>
  private let folder: StoreFolder
  private let name: String
  private let timeline: Timeline
  private let disk = DispatchQueue(label: "mainstay.ledger", qos: .utility)
  private let isDue = Atomic(false)

  /// Reads what an earlier run left; waits for the disk.
  init(at file: URL, timeline: Timeline, probe: StoreProbe?) {
    let file = file.standardizedFileURL
    folder = StoreFolder(
      path: file.deletingLastPathComponent().path(percentEncoded: false), probe: probe)
    name = file.lastPathComponent
    self.timeline = timeline
    var found = Found()
    var state = State(revision: 0, isAnew: true)
    var isUsable = true
    do throws(StoreFolder.Failure) {
      let size = 2 * MonitorLedgerRecord.placeSize
      let bytes = try folder.read(name, limit: size, hopeless: [EIO])
      let record = bytes.flatMap { MonitorLedgerRecord(newestIn: $0) }
      found.ledger = record?.ledger
      found.accounts = record?.accounts ?? [:]
      found.wasInterrupted = record?.isClosed != true
      state = State(revision: record?.revision ?? 0, isAnew: record == nil || bytes?.count != size)
    } catch {
      // One that is missing is begun. Of another one nobody knows what stands in it, such as on a
      // device that is locked, and to begin it anew would be to forget that.
      isUsable = error == .missing
    }
    self.found = found
    self.isUsable = isUsable
    self.state = Locked(state)
  }

  /// Begins with what a monitor says, and writes that it is there; waits for the disk.
  func begin(_ source: @escaping @Sendable () -> Account?) {
    state.withLock { $0.source = source }
    _ = disk.sync { writeNow(isEnd: false) }
  }

  /// Something has changed.
  func note() {
    guard !isDue.load(ordering: .relaxed) else { return }
    if !isDue.exchange(true, ordering: .acquiringAndReleasing) { wake() }
  }

  /// Writes what has changed.
  ///
  /// - Returns: Whether the file says what the ledger says.
  func write(isEnd: Bool = false) async -> Bool {
    await withCheckedContinuation { continuation in
      disk.async { continuation.resume(returning: self.writeNow(isEnd: isEnd)) }
    }
  }

  private func wake() {
    let isFirst = state.withLock { state in
      if state.isRunning || state.isEnded { return false }
      state.isRunning = true
      return true
    }
    if isFirst { Task.detached(priority: .utility) { await self.run() } }
  }

  private func run() async {
    var goesOn = true
    while goesOn {
      // Before the ledger is read: what changes from now on is written next time.
      isDue.store(false, ordering: .sequentiallyConsistent)
      _ = await write()
      try? await timeline.sleep(until: min(timeline.now, .latestReading) + .seconds(1))
      goesOn = state.withLock { state in
        state.isRunning = isDue.load(ordering: .sequentiallyConsistent) && !state.isEnded
        return state.isRunning
      }
    }
  }

  private func writeNow(isEnd: Bool) -> Bool {
    guard isUsable else { return false }
    let (source, isEnded) = state.withLock { ($0.source, $0.isEnded) }
    // Asks sinks for their books, so outside of the lock.
    guard !isEnded, let account = source?() else { return isEnded }
    let next = state.withLock { state -> (record: MonitorLedgerRecord, isAnew: Bool)? in
      // A last word that the disk refused is tried again.
      if isEnd { state.isEnding = true }
      if !state.isEnding, state.written == account { return nil }
      let record = MonitorLedgerRecord(
        revision: state.revision + 1, isClosed: state.isEnding, ledger: account.ledger,
        accounts: account.accounts)
      return (record, state.isAnew)
    }
    guard let next else { return true }
    let isWritten = put(next.record, isAnew: next.isAnew)
    state.withLock { state in
      guard isWritten else { return }
      state.isEnded = next.record.isClosed
      // Where it failed, the next writing goes to the same place: the other one is whole.
      state.revision = next.record.revision
      state.written = account
      state.isAnew = false
    }
    return isWritten
  }

  private func put(_ record: MonitorLedgerRecord, isAnew: Bool) -> Bool {
    guard let place = record.encoded() else { return false }
    do throws(StoreFolder.Failure) {
      if !isAnew {
        do throws(StoreFolder.Failure) {
          try folder.overwrite(name, at: place.offset, with: place.bytes)
          return true
        } catch {
          // Somebody took the file away.
          guard error == .missing else { throw error }
        }
      }
      try folder.write(record.wholeFile(), to: name, replacing: true)
      return true
    } catch _ {
      // Whoever flushes is told, and it is tried again with the next change.
      return false
    }
  }
}
