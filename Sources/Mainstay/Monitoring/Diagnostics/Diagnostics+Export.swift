// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Diagnostics {
  /// Writes the document into a file of its own, whose name says when it was made.
  ///
  /// The file is complete or not there, and on the disk when this returns; its owner alone can read
  /// it (0600). No file is ever overwritten.
  ///
  /// - Parameter folder: An existing folder.
  /// - Returns: The file, such as `diagnostics-20261122T032547123Z-1f6c….json`.
  /// - Throws: ``AppError`` where it cannot be written, such as in a folder that may not be written
  ///   to, or on a full disk; nothing is left behind then.
  @discardableResult
  public func export(to folder: URL) throws(AppError) -> URL {
    let bytes = [UInt8](try encoded())
    let time = WireTime.iso(generatedAt).filter { $0.isLetter || $0.isNumber }
    let identity = UUID().uuidString.lowercased().prefix(13)
    let file = folder.appendingPathComponent("diagnostics-\(time)-\(identity).json")
    do {
      try FreshFile.write(bytes, to: file.path)
    } catch {
      throw AppError.from(error)
    }
    return file
  }
}

/// A file that is written wholly or not at all, and never over another one.
enum FreshFile {
  static func write(_ bytes: [UInt8], to path: String) throws {
    let temporary = path + ".tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure() }
    do {
      defer { close(descriptor) }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count == 0 || errno != EINTR {
          throw failure()
        }
      }
      guard fsync(descriptor) == 0 else { throw failure() }
    } catch {
      unlink(temporary)
      throw error
    }
    // The name is taken first, and then given to the complete file.
    let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard reserved >= 0 else {
      let error = failure()
      unlink(temporary)
      throw error
    }
    close(reserved)
    guard rename(temporary, path) == 0 else {
      let error = failure()
      unlink(temporary)
      unlink(path)
      throw error
    }
    sync(folderOf: path)
  }

  /// Forces the name onto the disk; some file systems refuse that, and then there is no more to do.
  private static func sync(folderOf path: String) {
    let folder = (path as NSString).deletingLastPathComponent
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  private static func failure() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
