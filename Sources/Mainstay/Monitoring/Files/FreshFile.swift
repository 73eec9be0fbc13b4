// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A file that is written wholly or not at all, and that its owner alone can read.
package enum FreshFile {
  /// Writes a file, never over another one.
  ///
  /// It is written under a name that nothing else has, so that what a killed process left behind is
  /// in nobody's way.
  ///
  /// - Parameters:
  ///   - bytes: What it holds.
  ///   - path: Its name, in a folder that exists.
  /// - Throws: What the system says; `EEXIST` where anything has the name. Nothing is left behind
  ///   then.
  package static func write(_ bytes: [UInt8], to path: String) throws(POSIXError) {
    try write(bytes, to: path, naming: name)
  }

  /// Writes a file in the place of the one that has the name; readers see the one or the other.
  ///
  /// - Parameters:
  ///   - bytes: What it holds.
  ///   - path: Its name, in a folder that exists.
  /// - Throws: What the system says; the file is as it was then.
  package static func replace(with bytes: [UInt8], at path: String) throws(POSIXError) {
    try write(bytes, to: path) { (temporary, path) throws(POSIXError) in
      guard rename(temporary, path) == 0 else { throw failure(errno) }
    }
  }

  private static func write(
    _ bytes: [UInt8], to path: String,
    naming name: (_ temporary: String, _ path: String) throws(POSIXError) -> Void
  ) throws(POSIXError) {
    let temporary = folder(of: path) + "/.\(UUID().uuidString.lowercased()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { unlink(temporary) }
    if let code = code(writing: bytes, to: descriptor) { throw failure(code) }
    try name(temporary, path)
    sync(folderOf: path)
  }

  /// Writes, forces it onto the disk and closes; nil where all that worked.
  private static func code(writing bytes: [UInt8], to descriptor: Int32) -> Int32? {
    defer { close(descriptor) }
    if let code = WholeWrite.failure(writing: bytes[...], to: descriptor) { return code }
    return WholeWrite.failure(forcing: descriptor)
  }

  /// Gives the complete file its name, unless something has it.
  private static func name(_ temporary: String, _ path: String) throws(POSIXError) {
    if link(temporary, path) == 0 { return }
    guard errno != EEXIST else { throw failure(EEXIST) }
    // Not every file system has links. A link that leads nowhere has the name too.
    var information = stat()
    guard lstat(path, &information) != 0 else { throw failure(EEXIST) }
    guard rename(temporary, path) == 0 else { throw failure(errno) }
  }

  /// Forces the name onto the disk; some file systems refuse that, and then there is no more to do.
  static func sync(folderOf path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = WholeWrite.failure(forcing: descriptor)
    close(descriptor)
  }

  private static func folder(of path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  private static func failure(_ code: Int32) -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
  }
}
