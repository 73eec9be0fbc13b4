// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Foundation

/// A lock that the kernel gives back when its holder dies: how an owner is known to be alive.
///
/// It is a file next to the database, locked as a whole with `flock`, which belongs to the opened
/// file and not to the process. Two outboxes in one process exclude each other, and closing another
/// descriptor of the same file releases nothing. The descriptor is not passed on to programs that
/// are started; a bare `fork` would keep the lock, and is not supported.
package final class OwnerLock: Sendable {
  package let path: String
  private let descriptor: Int32

  /// Locks a file, and creates it where it is missing; nil where somebody else holds it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - database: Who may use this one can see whether the owner lives; where it is not there yet,
  ///     it is made with the same rights as any new file.
  /// - Throws: ``OutboxError`` `unavailable` where the file cannot be opened.
  package init?(path: String, besides database: String) throws {
    let access = FileAccess(of: database)
    var descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, access == nil ? 0o644 : 0o600)
    // Another user made it: to lock it takes no right to write.
    if descriptor < 0, errno == EACCES { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw OutboxError(
        .unavailable, details: "\(path): \(String(cString: strerror(errno)))",
        underlying: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    access?.give(to: descriptor)
    self.path = path
    self.descriptor = descriptor
  }

  /// Takes the file away; the lock itself ends with this object.
  package func remove() { unlink(path) }

  /// The lock is given back before the descriptor: a program that is being started at this moment
  /// still has a copy of that one, and would keep the lock until it runs.
  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Whether somebody holds the lock of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - boot: The run of the system in which its owner began: it decides where the file may not be
  ///     opened. Nil, the default, where that is not known.
  /// - Returns: True also where nobody can tell.
  static func isHeld(path: String, since boot: String? = nil) -> Bool {
    var descriptor = open(path, O_RDWR | O_CLOEXEC)
    // Another user made it: to look takes no right to write, but on some network disks.
    if descriptor < 0, errno != ENOENT { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return false }
      // No process outlives its system. That none has its number says nothing: each container
      // numbers its own.
      guard let boot, let current = BootSession.current else { return true }
      return boot == current
    }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
    _ = flock(descriptor, LOCK_UN)
    return false
  }
}

/// Who may use a file.
struct FileAccess {
  private let mode: mode_t
  private let owner: uid_t
  private let group: gid_t

  /// Looks at a file; nil where there is none.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (mode, owner, group) = (status.st_mode & 0o666, status.st_uid, status.st_gid)
  }

  /// Lets the same people use an open file, as far as this process may say so; never others.
  func give(to descriptor: Int32) {
    var mode = mode
    // Only root may give a file away; anybody may give one to a group of theirs.
    if fchown(descriptor, owner, group) != 0, fchown(descriptor, .max, group) != 0 {
      mode &= ~0o070
    }
    _ = fchmod(descriptor, mode)
  }
}

/// Names the run of the operating system: another one means that the power may have failed.
enum BootSession {
  /// The milliseconds since it began, also those in which the device slept.
  static var uptime: Int64? {
    var time = timespec()
    #if os(Linux)
      let isKnown = clock_gettime(CLOCK_BOOTTIME, &time) == 0
    #else
      let isKnown = clock_gettime(CLOCK_MONOTONIC, &time) == 0
    #endif
    return isKnown ? Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000 : nil
  }

  static let current: String? = {
    #if os(Linux)
      let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    #else
      var bytes = [CChar](repeating: 0, count: 64)
      var size = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #endif
  }()
}
