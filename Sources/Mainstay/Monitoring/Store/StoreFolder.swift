// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Foundation

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
    while true {
      errno = 0
      guard let entry = readdir(folder) else { break }
      let name = UnsafeRawPointer(entry).advanced(by: start)
      names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
    }
    // A list that was cut short is none: what is not in it would count as lost.
    let code = refusal(.list) ?? errno
    guard code == 0 else { throw Failure(code) }
    return names.sorted()
  }

  private func refusal(_ call: StoreProbe.Call, _ name: String = "") -> Int32? {
    probe?.refusal(call, name)
  }

  /// Writes a whole file: under another name, then onto the disk, then under its own.
  ///
  /// Where it fails, the file is not there; one that is replaced is there whole, as it was before
  /// or as it was to be.
  func write(_ bytes: [UInt8], to name: String, replacing: Bool = false) throws(Failure) {
    let temporary = place(name + RecordName.temporaryEnding)
    do throws(Failure) {
      try fill(temporary, with: bytes, as: name)
      guard rename(temporary, place(name)) == 0 else { throw Failure(errno) }
    } catch {
      unlink(temporary)
      throw error
    }
    probe?.reached(.fileNamed)
    do throws(Failure) { try sync() } catch {
      // What was replaced is gone, so this is the only one.
      if !replacing { unlink(place(name)) }
      throw error
    }
    probe?.reached(.folderSynced)
  }

  private func fill(_ path: String, with bytes: [UInt8], as name: String) throws(Failure) {
    unlink(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(errno) }
    defer { close(file) }
    probe?.reached(.fileBegun)
    let half = bytes.count / 2
    try Self.write(bytes[..<half], to: file, at: 0)
    probe?.reached(.fileHalfWritten)
    if let code = refusal(.write, name) { throw Failure(code) }
    try Self.write(bytes[half...], to: file, at: half)
    try force(file, as: name)
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
    if let code = refusal(.write, name) { throw Failure(code) }
    try Self.write(bytes[half...], to: file, at: offset + half)
    try force(file, as: name)
    probe?.reached(.ledgerWritten)
  }

  /// Puts what was written to a file onto the disk; what the system refuses here is not on it.
  private func force(_ file: Int32, as name: String) throws(Failure) {
    let code = refusal(.force, name) ?? WholeWrite.failure(forcing: file)
    if let code { throw Failure(code) }
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int
  ) throws(Failure) {
    if let code = WholeWrite.failure(writing: bytes, to: file, at: offset) { throw Failure(code) }
  }

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - limit: How many bytes it has at most.
  ///   - hopeless: More errors that will not be better later.
  /// - Returns: What it holds; nil where it is no file, or larger than the limit.
  /// - Throws: What may be over later, such as that the device is locked.
  func read(
    _ name: String, limit: Int, hopeless: [Int32] = []
  ) throws(Failure) -> [UInt8]? {
    let hopeless = hopeless + [ELOOP, ENXIO, EISDIR]
    func unreadable(_ code: Int32) throws(Failure) -> [UInt8]? {
      if hopeless.contains(code) { return nil }
      throw Failure(code)
    }
    if let code = refusal(.read, name) { return try unreadable(code) }
    // A pipe that somebody put there is opened without waiting for its other end.
    let file = open(place(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return try unreadable(errno) }
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
      guard count >= 0 else { return try unreadable(errno) }
      guard count > 0 else { return nil }
      done += count
    }
    return bytes
  }

  /// How large a file is and when it was last written, in seconds since 1970, as far as its folder
  /// says; nil where it is not there.
  func look(_ name: String) -> (bytes: Int, time: Double)? {
    var information = stat()
    guard lstat(place(name), &information) == 0 else { return nil }
    #if canImport(Darwin)
      let time = information.st_mtimespec.tv_sec
    #else
      let time = information.st_mtim.tv_sec
    #endif
    return (Int(clamping: information.st_size), Double(time))
  }

  /// Takes a file away; one that is not there is gone already.
  func remove(_ name: String) throws(Failure) {
    guard unlink(place(name)) != 0, errno != ENOENT else { return }
    throw Failure(errno)
  }

  /// Puts the names of its files onto the disk; some file systems refuse that, and then there is no
  /// more to do.
  func sync() throws(Failure) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Failure(errno) }
    defer { close(folder) }
    let code = refusal(.sync) ?? WholeWrite.failure(forcing: folder)
    if let code, code != EINVAL, code != ENOTSUP { throw Failure(code) }
  }

  /// Moves a damaged file out of the way, and keeps the newest few of those.
  ///
  /// Where something else has the name of the folder for them, such as a link, the file is removed.
  func setAside(_ name: String) throws(Failure) {
    let aside = StoreFolder(path: place(Self.quarantine), probe: nil)
    mkdir(aside.path, 0o700)
    var information = stat()
    if lstat(aside.path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR,
      rename(place(name), aside.place(name)) == 0
    {
      // mainstay:ignore MS204 -- without a list nothing is cleared away
      let names = ((try? aside.names()) ?? []).filter { RecordName($0) != nil }
      for old in names.dropLast(Self.quarantineCount) { _ = try? aside.remove(old) }
    } else {
      try remove(name)
    }
    probe?.reached(.fileQuarantined)
  }

  /// Removes damaged files that were moved out of the way.
  ///
  /// - Parameter isDue: Whether one goes, by when it was last written, in seconds since 1970.
  func clearAside(where isDue: (Double) -> Bool) {
    let aside = StoreFolder(path: place(Self.quarantine), probe: nil)
    var information = stat()
    guard lstat(aside.path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
      return
    }
    // mainstay:ignore MS204 -- without a list nothing is cleared away
    let names = ((try? aside.names()) ?? []).filter { RecordName($0) != nil }
    for name in names where aside.look(name).map({ isDue($0.time) }) == true {
      _ = try? aside.remove(name)
    }
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
