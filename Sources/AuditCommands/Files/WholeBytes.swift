// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// Files that are read and written wholly, or not at all.
enum WholeBytes {
  /// Writes all bytes to an open file.
  ///
  /// - Returns: The number of the error; nil where all was written.
  static func failure(writing bytes: [UInt8], to file: Int32) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Foundation.write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done)
      }
      if count < 0, errno == EINTR { continue }
      // Nothing was written and nothing said: the disk is full.
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      done += count
    }
    return nil
  }

  /// All bytes of a file, a pipe or a device.
  ///
  /// - Parameters:
  ///   - path: Its name; nil for standard input.
  ///   - most: How many bytes it may have.
  /// - Returns: The bytes.
  /// - Throws: What the system says; `EFBIG` where there are more.
  static func read(_ path: String?, most: Int) throws(POSIXError) -> [UInt8] {
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? 0
    guard descriptor >= 0 else { throw POSIXError.latest }
    defer { if path != nil { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Opened so that a pipe without a writer holds nobody up; this one has a slow writer.
        var open = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&open, 1, -1)
        continue
      }
      guard count >= 0 else { throw POSIXError.latest }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= most else { throw POSIXError(.EFBIG) }
    }
  }

  /// Writes a file under another name and then gives it its own.
  ///
  /// So readers see the old or the new one and never a half. What has no place in a folder, as a
  /// device or a pipe, is written in place.
  ///
  /// - Parameters:
  ///   - bytes: What it holds.
  ///   - path: Its name, in a folder that exists; a link stays one, and its file is written.
  ///   - overwrites: Whether it may take the place of a file; that file's permissions and its
  ///     owner stay.
  /// - Throws: What the system says; nothing is left behind then.
  static func write(
    _ bytes: [UInt8], to path: String, overwrites: Bool = true
  ) throws(POSIXError) {
    let real = PathNames.real(path)
    var status = stat()
    guard stat(real ?? path, &status) == 0 else {
      // A link that leads nowhere yet still says where the file is wanted.
      if overwrites, FileStatus(path, followsLinks: false)?.kind == .link {
        return try writeInPlace(bytes, to: path)
      }
      return try replace(bytes, at: path, nil, overwrites: overwrites)
    }
    guard overwrites else { throw POSIXError(.EEXIST) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw POSIXError(.EISDIR) }
    // Its folder would let us, but whoever took the right to write meant it.
    guard access(real ?? path, W_OK) == 0 else { throw POSIXError.latest }
    // A device, a pipe and what `/dev/stdout` leads to have no place in a folder for another one.
    guard let real, status.st_mode & S_IFMT == S_IFREG, !isOfProcess(path) else {
      return try writeInPlace(bytes, to: path)
    }
    // The file's other names would keep what it held.
    guard status.st_nlink == 1 else { return try writeInPlace(bytes, to: real) }
    try replace(bytes, at: real, status, overwrites: true)
  }

  /// Whether a path names what a process has open, which is not to be put aside meanwhile.
  private static func isOfProcess(_ path: String) -> Bool {
    ["/dev/std", "/dev/fd/", "/proc/"].contains(where: path.hasPrefix)
  }

  /// Writes to what is there already, without a name of its own to give.
  private static func writeInPlace(_ bytes: [UInt8], to path: String) throws(POSIXError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw POSIXError.latest }
    defer { close(descriptor) }
    if let code = failure(writing: bytes, to: descriptor) { throw POSIXError(number: code) }
  }

  private static func replace(
    _ bytes: [UInt8], at path: String, _ status: stat?, overwrites: Bool
  ) throws(POSIXError) {
    let split = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let temporary = String(path[..<split] + ".\(UUID().uuidString.lowercased()).tmp")
    let descriptor = open(
      temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw POSIXError.latest }
    defer { unlink(temporary) }
    if let status, !gives(descriptor, theOwnerOf: status) {
      close(descriptor)
      return try writeInPlace(bytes, to: path)
    }
    let mode = status.map { $0.st_mode & 0o7777 }
    if let code = finish(bytes, descriptor, mode) { throw POSIXError(number: code) }
    guard overwrites ? rename(temporary, path) == 0 : link(temporary, path) == 0
    else { throw POSIXError.latest }
  }

  /// Whether an open file belongs to whom another one does; only root may give files away.
  private static func gives(_ descriptor: Int32, theOwnerOf status: stat) -> Bool {
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { return false }
    if own.st_uid == status.st_uid, own.st_gid == status.st_gid { return true }
    return fchown(descriptor, status.st_uid, status.st_gid) == 0
  }

  private static func finish(_ bytes: [UInt8], _ descriptor: Int32, _ mode: mode_t?) -> Int32? {
    defer { close(descriptor) }
    if let code = failure(writing: bytes, to: descriptor) { return code }
    if let mode, fchmod(descriptor, mode) != 0 { return errno }
    return fsync(descriptor) == 0 ? nil : errno
  }

  /// What to say where a file cannot be written.
  static func complaint(about path: String, _ error: POSIXError) -> CommandFailure {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let reason =
      switch error.code {
      case .EEXIST: "it is there already, and nothing is overwritten"
      case .EISDIR: "it is a folder"
      case .ENOENT where FileStatus(parent.isEmpty ? "/" : parent) == nil:
        "there is no folder \(parent)"
      case .ENOTDIR: "\(parent) is no folder"
      default: error.words
      }
    return CommandFailure(status: .couldNotRun, message: "\(path) cannot be written: \(reason).")
  }
}
