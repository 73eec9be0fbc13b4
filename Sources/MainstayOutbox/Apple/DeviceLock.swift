// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#endif
package import Foundation
internal import Mainstay

/// Tells a file that a locked device keeps closed from one that cannot be used at all.
///
/// SQLite says the same of both: that it cannot open, read or authorize. What the system answers
/// differs. It answers `EPERM` for a file that it protects, whatever rights it has.
package enum DeviceLock {
  /// What is known of a file that could not be used.
  package struct File: Sendable, Equatable {
    /// Whether the system keeps it closed at times.
    package var isProtected: Bool
    /// What the system answers to the attempt to use it, or what lies beside it; nil where it lets
    /// that be used.
    package var answer: POSIXErrorCode?

    package init(isProtected: Bool, answer: POSIXErrorCode?) {
      self.isProtected = isProtected
      self.answer = answer
    }
  }

  /// Looks whether a failure passes once the device is unlocked.
  ///
  /// - Parameters:
  ///   - error: What opening, reading or writing failed with.
  ///   - file: What is known of the file; nil where no device is ever locked.
  /// - Returns: The failure as `deviceLocked` where it does, else as it is.
  package static func explained(_ error: OutboxError, by file: File?) -> OutboxError {
    guard error.code == .unavailable, let file, file.isProtected else { return error }
    let answer = (error.underlying as? POSIXError)?.code ?? file.answer
    guard answer == .EPERM else { return error }
    return OutboxError(.deviceLocked, details: error.details, underlying: error.underlying)
  }

  /// What is known of a file; nil where no device is ever locked.
  static func file(at path: String) -> File? {
    #if canImport(Darwin)
      let manager = FileManager.default
      let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
      let place = manager.fileExists(atPath: path) ? path : folder
      let attributes = try? manager.attributesOfItem(atPath: place)
      let protection = attributes?[.protectionKey] as? FileProtectionType
      // Not the database itself: closing any descriptor of that gives up SQLite's locks on it.
      let beside = ["-wal", "-reserve"].map { path + $0 }.first(where: manager.fileExists)
      return File(
        isProtected: protection.map { $0 != .none } ?? false, answer: beside.flatMap(answer))
    #else
      return nil
    #endif
  }

  #if canImport(Darwin)
    /// What the system answers to the attempt to read a file; nil where it lets that be read.
    private static func answer(at path: String) -> POSIXErrorCode? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return POSIXErrorCode(rawValue: errno) }
      close(descriptor)
      return nil
    }
  #endif
}
