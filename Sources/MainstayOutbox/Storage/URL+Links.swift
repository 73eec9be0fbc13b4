// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
package import Foundation

extension URL {
  /// As many links as SQLite follows one after the other, and more than anybody has.
  private static let maximumLinks = 100

  /// The file that SQLite opens under this path: it follows symbolic links, also to what is not
  /// there yet.
  ///
  /// What belongs to a file lies beside it under its own name, where all processes find it,
  /// whichever path they came by.
  package var withoutLinks: URL {
    var url = self
    for _ in 0..<Self.maximumLinks {
      let path = url.path(percentEncoded: false)
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        break
      }
      url =
        target.hasPrefix("/")
        ? URL(filePath: target) : url.deletingLastPathComponent().appending(path: target)
    }
    let folder = url.deletingLastPathComponent().path(percentEncoded: false)
    // A folder that is made later has no links in it.
    guard let real = realpath(folder, nil) else { return url }
    defer { free(real) }
    return URL(filePath: String(cString: real), directoryHint: .isDirectory)
      .appending(path: url.lastPathComponent, directoryHint: .notDirectory)
  }
}
