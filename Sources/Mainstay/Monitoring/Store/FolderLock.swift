// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Foundation

/// The right to use a folder, which the kernel gives back when its holder dies.
///
/// The folder itself is locked, so that no file is needed for it.
final class FolderLock: Sendable {
  private let descriptor: Int32
  private let identity: [UInt64]

  /// Locks a folder; nil where somebody else has it.
  init?(path: String, probe: StoreProbe?) throws(StoreFolder.Failure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreFolder.Failure(errno) }
    let refusal = probe?.refusal(.lock, "")
    let code = refusal ?? (flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno)
    guard code == 0, let identity = Self.identity(descriptor) else {
      let failure = code == 0 ? errno : code
      close(descriptor)
      if failure == EWOULDBLOCK { return nil }
      // Such as a file system that knows no locks.
      throw StoreFolder.Failure(failure)
    }
    self.descriptor = descriptor
    self.identity = identity
  }

  /// Whether the folder that was locked is still the one of this path.
  func holds(_ path: String) -> Bool {
    var information = stat()
    guard stat(path, &information) == 0 else { return false }
    return identity == Self.identity(information)
  }

  private static func identity(_ descriptor: Int32) -> [UInt64]? {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return nil }
    return identity(information)
  }

  /// On Apple's systems the number of a device is signed.
  private static func identity(_ information: stat) -> [UInt64] {
    [UInt64(truncatingIfNeeded: information.st_dev), UInt64(information.st_ino)]
  }

  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
