// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads lines of words from a socket, and waits for them; for a thread of its own.
package struct WordReader {
  private let socket: Int32
  private var unread: [UInt8] = []
  private var bytes = [UInt8](repeating: 0, count: 4_096)

  /// Makes the reader of a socket, which stays open.
  package init(_ socket: Int32) { self.socket = socket }

  /// The words of the next line; nil where nobody can write any more.
  ///
  /// Half a line is none: whoever wrote it has died.
  package mutating func next() -> [String]? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self).split(separator: " ")
          .map(String.init)
      }
      let count = read(socket, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      unread += bytes.prefix(count)
    }
  }
}
