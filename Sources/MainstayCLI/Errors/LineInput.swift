// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Foundation

/// A file or a pipe that is read bit by bit, in whole lines.
enum LineInput {
  private static let chunk = 1_000_000
  /// A report takes far less; of a longer line is kept that there was one.
  private static let longestLine = 10_000_000

  /// Reads to the end.
  ///
  /// - Parameters:
  ///   - path: A file, a pipe or a device; `-` is standard input.
  ///   - take: Is handed lines, the last one with or without an end, and how many bytes were read
  ///     for them.
  /// - Throws: What the system says.
  static func read(
    _ path: String, _ take: (_ lines: Data, _ read: Int) -> Void
  ) throws(POSIXError) {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError.latest }
    defer { if path != "-" { close(descriptor) } }
    var buffer = [UInt8](repeating: 0, count: chunk)
    var begun = Data()
    while true {
      let count = try fill(&buffer, from: descriptor)
      guard count > 0 else { break }
      let bytes = buffer[..<count]
      if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) {
        take(begun + bytes[...end], count)
        begun = Data(bytes[(end + 1)...])
      } else {
        begun += bytes
        take(Data(), count)
      }
      // No JSON begins with this byte.
      if begun.count > longestLine { begun = Data([0]) }
    }
    if !begun.isEmpty { take(begun, 0) }
  }

  private static func fill(
    _ buffer: inout [UInt8], from descriptor: Int32
  ) throws(POSIXError) -> Int {
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw POSIXError.latest }
    }
  }
}
