// SPDX-License-Identifier: Apache-2.0

import CFaultyDisk
import Foundation

/// A folder on a disk that fails where a test says so: `CFaultyDisk.h` says how.
///
/// Whatever opens a database in it by its path is on that disk.
final class FaultyDisk: Sendable {
  /// What SQLite asks of a disk.
  enum Call: Int32, CaseIterable {
    case open, read, write, sync, truncate, delete
  }

  /// How a call fails.
  enum Failure: Int32, CaseIterable {
    case error, full, shortRead
  }

  private let folder: TemporaryFolder
  private let number: Int32

  init() throws {
    folder = try TemporaryFolder()
    number = faulty_disk_make(folder.url.path(percentEncoded: false))
    guard number >= 0 else { throw POSIXError(.EIO) }
  }

  deinit { faulty_disk_free(number) }

  var url: URL { folder.url }

  var database: URL { folder.database }

  /// How many calls there were that are not reads.
  var changes: Int { Int(faulty_disk_changes(number)) }

  /// Whether the power is off.
  var isOff: Bool { faulty_disk_is_off(number) != 0 }

  func count(_ call: Call) -> Int { Int(faulty_disk_count(number, call.rawValue)) }

  /// Makes the n-th call from now on fail, and all after it where it is for ever.
  func fail(_ call: Call, _ failure: Failure = .error, at nth: Int, forever: Bool = false) {
    faulty_disk_fail(number, call.rawValue, Int64(nth), failure.rawValue, forever ? 1 : 0)
  }

  /// Cuts the power at the n-th call from now on that is not a read.
  func cut(at nth: Int) { faulty_disk_cut(number, Int64(nth)) }

  /// Forgets what was said about failures and cuts.
  func heal() { faulty_disk_heal(number) }

  /// Whether syncs do nothing.
  func setLying(_ lies: Bool) { faulty_disk_set_lying(number, lies ? 1 : 0) }

  /// Whether it can only be read.
  func setReadOnly(_ isReadOnly: Bool) {
    faulty_disk_set_read_only(number, isReadOnly ? 1 : 0)
  }

  /// Switches the power on, after cutting it where it is on; chance decides what is left.
  func restart(seed: UInt64) throws {
    let error = faulty_disk_restart(number, seed)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
  }

  /// Lays something beside the database, as a process does that writes no database.
  func put(_ data: Data = Data(), besideAs suffix: String) {
    _ = FileManager.default.createFile(
      atPath: database.path(percentEncoded: false) + suffix, contents: data)
  }

  /// Takes something away that lies beside the database.
  func remove(besideAs suffix: String) {
    try? FileManager.default.removeItem(atPath: database.path(percentEncoded: false) + suffix)
  }

  /// How the names of the files go on that begin as that of the database.
  var companions: Set<String> {
    let path = url.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let start = database.lastPathComponent
    return Set(names.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) })
  }
}
