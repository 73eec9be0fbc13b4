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
  package init?(path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw OutboxError(
        .unavailable, details: "\(path): \(String(cString: strerror(errno)))",
        underlying: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
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
  static func isHeld(path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
    _ = flock(descriptor, LOCK_UN)
    return false
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
