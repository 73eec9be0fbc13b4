// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Foundation

/// A file that takes up room beside the database, to be given up when the disk is full.
///
/// Even to delete a row, SQLite first writes to its log, which a full disk does not let it; and the
/// log shrinks only when all of it can be moved to the database. So the reserve has room for the
/// longest log: it is moved each 256 pages, and may have grown by as much again while moving it
/// failed. With the reserve gone, what has ended can be recorded, which makes room by itself;
/// newcomers are still refused.
struct DiskReserve: Sendable {
  /// How long the log gets before it is moved, in pages of 4 KiB.
  static let logPages = 256
  static let size = 2 * logPages * 4096 + 256 * 1024

  let path: String

  var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  /// Takes up room, where the disk has it; half of a reserve is none.
  ///
  /// Only the whole of it gets the name: the process may end before that.
  func take() {
    guard !isThere else { return }
    let unfinished = path + "-new"
    unlink(unfinished)
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    // Zeros could be kept as a hole, which takes up no room.
    let bytes = [UInt8](repeating: 0xA5, count: Self.size)
    let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    let isKept = written == Self.size && fsync(descriptor) == 0
    close(descriptor)
    if !isKept || rename(unfinished, path) != 0 { unlink(unfinished) }
  }

  /// Gives the room back, also that of one whose process ended meanwhile; false where there is none
  /// to give.
  func release() -> Bool {
    let isUnfinished = unlink(path + "-new") == 0
    return unlink(path) == 0 || isUnfinished
  }
}
