// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Which file lies at a path: not the one that somebody puts there in its place.
///
/// As long as a file is open its number is not given to another one.
struct FileIdentity: Sendable, Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Looks what lies there; nil for nothing.
  init?(at url: URL) {
    var found = stat()
    guard stat(url.path(percentEncoded: false), &found) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: found.st_dev)
    number = UInt64(truncatingIfNeeded: found.st_ino)
  }
}
