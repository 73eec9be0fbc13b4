// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What tells a file or folder from every other, whatever leads to it.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// What the system says of a path.
package struct FileStatus: Hashable, Sendable {
  /// What a path leads to.
  package enum Kind: Sendable { case file, folder, link, other }

  package let kind: Kind
  package let identity: FileIdentity
  package let size: Int
  /// When it was last written, in nanoseconds since 1970.
  package let changed: Int64

  /// Asks the system; nil where there is nothing, and `errno` says why.
  ///
  /// - Parameters:
  ///   - path: Any path.
  ///   - followsLinks: Whether it is about what a link leads to.
  package init?(_ path: String, followsLinks: Bool = true) {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    kind = Self.kind(status.st_mode)
    identity = FileIdentity(status)
    size = Int(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    changed = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func kind(_ mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }
}

/// One name in a folder.
struct FolderEntry {
  let name: String
  let kind: FileStatus.Kind

  /// All names of a folder but those of itself and of the one around, in no order.
  static func all(in folder: String) throws(POSIXError) -> [FolderEntry] {
    guard let stream = opendir(folder) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    defer { closedir(stream) }
    var entries: [FolderEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      entries.append(FolderEntry(name: name, kind: kind(entry.pointee.d_type, folder, name)))
    }
    guard errno == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return entries
  }

  private static func kind(_ type: UInt8, _ folder: String, _ name: String) -> FileStatus.Kind {
    switch Int32(type) {
    case Int32(DT_REG): .file
    case Int32(DT_DIR): .folder
    case Int32(DT_LNK): .link
    // Not every file system says.
    case Int32(DT_UNKNOWN): FileStatus(folder + "/" + name, followsLinks: false)?.kind ?? .other
    default: .other
    }
  }
}

/// What the system says, for the end of a sentence.
package enum SystemWords {
  /// What a number of the system says, such as "permission denied".
  package static func of(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
