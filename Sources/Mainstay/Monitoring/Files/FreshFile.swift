// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file that is written wholly or not at all, and never over another one.
enum FreshFile {
  static func write(_ bytes: [UInt8], to path: String) throws {
    let temporary = path + ".tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { unlink(temporary) }
    do {
      defer { close(descriptor) }
      if let code = WholeWrite.failure(writing: bytes[...], to: descriptor) { throw failure(code) }
      guard fsync(descriptor) == 0 else { throw failure(errno) }
    }
    try name(temporary, path)
    sync(folderOf: path)
  }

  /// Gives the complete file its name, unless something has it.
  private static func name(_ temporary: String, _ path: String) throws {
    if link(temporary, path) == 0 { return }
    guard errno != EEXIST else { throw failure(EEXIST) }
    // Not every file system has links.
    guard access(path, F_OK) != 0 else { throw failure(EEXIST) }
    guard rename(temporary, path) == 0 else { throw failure(errno) }
  }

  /// Forces the name onto the disk; some file systems refuse that, and then there is no more to do.
  private static func sync(folderOf path: String) {
    let folder = (path as NSString).deletingLastPathComponent
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  private static func failure(_ code: Int32) -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
  }
}
