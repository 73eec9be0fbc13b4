// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A file that lines are added to, and the older ones beside it.
///
/// All work is done on a queue, one piece after the other. Writing takes long, and whoever hands
/// over lines must not hold a thread meanwhile for the others, unless the process is about to end.
final class LineFile: Sendable {
  private let queue = DispatchQueue(label: "mainstay.lines", qos: .utility)
  /// Changed on the queue alone; the lock is there for the compiler, and held for no writing.
  private let writer: Locked<LineWriter>

  init(path: String, maximumBytes: Int, maximumFiles: Int) {
    writer = Locked(
      LineWriter(path: path, maximumBytes: maximumBytes, maximumFiles: maximumFiles))
  }

  deinit { writer.withLock { $0.closeFile() } }

  /// Writes lines, all or none of them.
  ///
  /// - Returns: Whether they were written.
  func append(_ lines: [Data], forces: Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.write(lines, forces)) }
    }
  }

  /// Writes lines while the caller waits.
  func appendNow(_ lines: [Data], forces: Bool) -> Bool {
    queue.sync { write(lines, forces) }
  }

  /// Writes a line before all that is handed over later, and waits for nothing.
  ///
  /// - Parameters:
  ///   - forces: Whether it has to be on the disk.
  ///   - line: Makes the line, on the file's queue.
  ///   - done: Called there, with whether it was written.
  func appendSoon(
    forces: Bool, _ line: @escaping @Sendable () -> Data,
    _ done: @escaping @Sendable (Bool) -> Void
  ) {
    queue.async(qos: .userInitiated) { done(self.write([line()], forces)) }
  }

  private func write(_ lines: [Data], _ forces: Bool) -> Bool {
    var own = writer.withLock { $0 }
    let isWritten = own.append(lines, forces: forces)
    writer.withLock { [own] in $0 = own }
    return isWritten
  }
}

/// Writes to the file; everything here waits for the disk.
private struct LineWriter: Sendable {
  let path: String
  let maximumBytes: Int
  let maximumFiles: Int
  private var descriptor: Int32?
  /// Whether the name of the open file is on the disk, too.
  private var isNameForced = false

  init(path: String, maximumBytes: Int, maximumFiles: Int) {
    self.path = path
    self.maximumBytes = maximumBytes
    self.maximumFiles = maximumFiles
  }

  /// Writes lines, all or none of them.
  ///
  /// - Returns: Whether they were written.
  mutating func append(_ lines: [Data], forces: Bool) -> Bool {
    let bytes = [UInt8](lines.joined())
    guard !bytes.isEmpty else { return true }
    guard var size = openFile() else { return false }
    if size > 0, size + off_t(bytes.count) > maximumBytes {
      guard rotate(), let begun = openFile() else { return false }
      size = begun
    }
    return write(bytes, from: size, forces: forces)
  }

  /// Opens the file, unless it is open and still the one with that name.
  ///
  /// - Returns: How long it is; nil where it cannot be opened.
  private mutating func openFile() -> off_t? {
    if let descriptor {
      var (own, named) = (stat(), stat())
      if fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino,
        own.st_dev == named.st_dev
      {
        return own.st_size
      }
      closeFile()
    }
    let opened = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard opened >= 0 else { return nil }
    var own = stat()
    guard fstat(opened, &own) == 0, own.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      return nil
    }
    (descriptor, isNameForced) = (opened, false)
    return endLastLine(own.st_size)
  }

  /// Ends a line that a crash has cut short.
  private mutating func endLastLine(_ size: off_t) -> off_t? {
    guard let descriptor, size > 0 else { return size }
    var last: UInt8 = 0
    guard pread(descriptor, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") else {
      return size
    }
    return write([UInt8(ascii: "\n")], from: size) ? size + 1 : nil
  }

  /// Writes at the end; what was written in part, or may not be on the disk, is taken back.
  private mutating func write(_ bytes: [UInt8], from size: off_t, forces: Bool = false) -> Bool {
    guard let descriptor else { return false }
    let isWritten = WholeWrite.failure(writing: bytes[...], to: descriptor) == nil
    if isWritten, !forces || force(descriptor) { return true }
    _ = ftruncate(descriptor, size)
    closeFile()
    return false
  }

  /// Forces what was written onto the disk, and the first time the names of the files with it.
  ///
  /// A new file, and those that made room for it, are not there otherwise after a loss of power.
  private mutating func force(_ descriptor: Int32) -> Bool {
    guard WholeWrite.failure(forcing: descriptor) == nil else { return false }
    if !isNameForced { FreshFile.sync(folderOf: path) }
    isNameForced = true
    return true
  }

  mutating func closeFile() {
    if let descriptor { close(descriptor) }
    descriptor = nil
  }

  /// Makes room: `file` becomes `file.1`, and so on.
  private mutating func rotate() -> Bool {
    closeFile()
    guard maximumFiles > 1 else { return unlink(path) == 0 || errno == ENOENT }
    for number in (1..<maximumFiles).reversed() {
      let older = "\(path).\(number)"
      let newer = number == 1 ? path : "\(path).\(number - 1)"
      if rename(newer, older) != 0, errno != ENOENT { return false }
    }
    return true
  }
}
