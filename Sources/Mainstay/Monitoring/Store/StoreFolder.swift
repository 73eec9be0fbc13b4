// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Foundation

/// The steps between which a process can die, for tests that kill it there.
package struct StoreProbe: Sendable {
  /// What was just done.
  package enum Step: String, Sendable, CaseIterable {
    case fileBegun, fileHalfWritten, fileWritten, fileNamed, folderSynced
    case ledgerHalfWritten, ledgerWritten, fileRemoved, filesRemoved
    case fileQuarantined, batchTaken, replied
  }

  package let reached: @Sendable (Step) -> Void

  package init(_ reached: @escaping @Sendable (Step) -> Void) { self.reached = reached }
}

/// The files of a store.
///
/// Everything here waits for the disk.
/// Names come from ``RecordName`` or are constants; links are never followed, so that nobody can
/// lead the store to a file that is not its own.
struct StoreFolder: Sendable {
  /// What the system says.
  enum Failure: Error, Equatable {
    case noSpace
    case missing
    case other(String)

    init(_ code: Int32) {
      self =
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .noSpace
        case ENOENT: .missing
        default: .other(String(cString: strerror(code)))
        }
    }
  }

  let path: String
  let probe: StoreProbe?

  static let quarantine = "quarantine"
  /// How many damaged files are kept for whoever wants to look at them.
  static let quarantineCount = 10

  func place(_ name: String) -> String { path + "/" + name }

  /// Makes the folder where it is missing, for its owner alone.
  func prepare() throws(Failure) {
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      built += "/" + part
      guard mkdir(built, 0o700) != 0, errno != EEXIST else { continue }
      var information = stat()
      let code = errno
      guard stat(built, &information) == 0 else { throw Failure(code) }
    }
  }

  /// Names of everything in it, in order.
  func names() throws(Failure) -> [String] {
    guard let folder = opendir(path) else { throw Failure(errno) }
    defer { closedir(folder) }
    var names: [String] = []
    // An entry ends with its name, often long before the 256 bytes that its type declares, and
    // nothing need be mapped behind it: only an address may be taken here, never the value.
    guard let start = MemoryLayout<dirent>.offset(of: \.d_name) else { throw Failure(ENOSYS) }
    while let entry = readdir(folder) {
      let name = UnsafeRawPointer(entry).advanced(by: start)
      names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
    }
    return names.sorted()
  }

  /// Writes a whole file: under another name, then onto the disk, then under its own.
  func write(_ bytes: [UInt8], to name: String) throws(Failure) {
    let temporary = place(name + RecordName.temporaryEnding)
    do throws(Failure) {
      try fill(temporary, with: bytes)
      guard rename(temporary, place(name)) == 0 else { throw Failure(errno) }
    } catch {
      unlink(temporary)
      throw error
    }
    probe?.reached(.fileNamed)
    do throws(Failure) { try sync() } catch {
      unlink(place(name))
      throw error
    }
    probe?.reached(.folderSynced)
  }

  private func fill(_ path: String, with bytes: [UInt8]) throws(Failure) {
    unlink(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(errno) }
    defer { close(file) }
    probe?.reached(.fileBegun)
    let half = bytes.count / 2
    try Self.write(bytes[..<half], to: file, at: 0)
    probe?.reached(.fileHalfWritten)
    try Self.write(bytes[half...], to: file, at: half)
    guard fsync(file) == 0 else { throw Failure(errno) }
    probe?.reached(.fileWritten)
  }

  /// Overwrites a part of a file that exists, and puts it onto the disk.
  func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) throws(Failure) {
    let file = open(place(name), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw Failure(errno) }
    defer { close(file) }
    let half = bytes.count / 2
    try Self.write(bytes[..<half], to: file, at: offset)
    probe?.reached(.ledgerHalfWritten)
    try Self.write(bytes[half...], to: file, at: offset + half)
    guard fsync(file) == 0 else { throw Failure(errno) }
    probe?.reached(.ledgerWritten)
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int
  ) throws(Failure) {
    if let code = WholeWrite.failure(writing: bytes, to: file, at: offset) { throw Failure(code) }
  }

  /// What a file holds; nil where it is no file, larger than the limit, or one that the disk or its
  /// owner keeps from everybody.
  func read(_ name: String, limit: Int) throws(Failure) -> [UInt8]? {
    // A pipe that somebody put there is opened without waiting for its other end.
    let file = open(place(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return try Self.unreadable(errno) }
    defer { close(file) }
    var information = stat()
    guard fstat(file, &information) == 0 else { throw Failure(errno) }
    guard information.st_mode & S_IFMT == S_IFREG, information.st_size <= limit else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    var done = 0
    while done < bytes.count {
      let wanted = bytes.count - done
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(file, buffer.baseAddress.map { $0 + done }, wanted, off_t(done))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return try Self.unreadable(errno) }
      guard count > 0 else { return nil }
      done += count
    }
    return bytes
  }

  /// Nil where it will not be better later; one bad file must not keep the others from being read.
  private static func unreadable(_ code: Int32) throws(Failure) -> [UInt8]? {
    if [ELOOP, EACCES, EPERM, EIO, ENXIO, EISDIR].contains(code) { return nil }
    throw Failure(code)
  }

  /// Takes a file away; one that is not there is gone already.
  func remove(_ name: String) throws(Failure) {
    guard unlink(place(name)) != 0, errno != ENOENT else { return }
    throw Failure(errno)
  }

  /// Puts the names of its files onto the disk.
  func sync() throws(Failure) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Failure(errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw Failure(errno) }
  }

  /// Moves a damaged file out of the way, and keeps the newest few of those.
  func setAside(_ name: String) throws(Failure) {
    let aside = StoreFolder(path: place(Self.quarantine), probe: nil)
    if mkdir(aside.path, 0o700) == 0 || errno == EEXIST,
      rename(place(name), aside.place(name)) == 0
    {
      let names = ((try? aside.names()) ?? []).filter { !$0.hasPrefix(".") }
      for old in names.dropLast(Self.quarantineCount) { try? aside.remove(old) }
    } else {
      try remove(name)
    }
    probe?.reached(.fileQuarantined)
  }

  /// How much room is left on the volume; nil where the system does not say.
  var room: Int? {
    var information = statvfs()
    guard statvfs(path, &information) == 0 else { return nil }
    let (bytes, isOverflow) = UInt64(information.f_bavail).multipliedReportingOverflow(
      by: UInt64(information.f_frsize))
    return isOverflow ? .max : Int(clamping: bytes)
  }
}

/// The right to use a folder, which the kernel gives back when its holder dies.
///
/// The folder itself is locked, so that no file is needed for it.
final class FolderLock: Sendable {
  private let descriptor: Int32
  private let identity: [UInt64]

  /// Locks a folder; nil where somebody else has it.
  init?(path: String) throws(StoreFolder.Failure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreFolder.Failure(errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let identity = Self.identity(descriptor) else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.identity = identity
  }

  /// Whether the folder that was locked is still the one of this path.
  func holds(_ path: String) -> Bool {
    var information = stat()
    guard stat(path, &information) == 0 else { return false }
    return identity == [UInt64(information.st_dev), UInt64(information.st_ino)]
  }

  private static func identity(_ descriptor: Int32) -> [UInt64]? {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return nil }
    return [UInt64(information.st_dev), UInt64(information.st_ino)]
  }

  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
