// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reading several pipes of one program at a time.
enum SideBySide {
  /// What each of some open files holds, up to its end.
  ///
  /// One after the other would wait for ever for a program that has filled the second pipe and
  /// does not end the first before somebody empties it.
  static func read(_ files: [Int32]) -> [[UInt8]] {
    var contents = files.map { _ in [UInt8]() }
    var open = files.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while open.contains(where: { $0.fd >= 0 }) {
      guard poll(&open, nfds_t(open.count), -1) >= 0 else {
        if errno == EINTR { continue }
        break
      }
      for index in open.indices where open[index].revents != 0 {
        let count = Foundation.read(open[index].fd, &buffer, buffer.count)
        if count > 0 {
          contents[index] += buffer[..<count]
        } else if count == 0 || errno != EINTR {
          // A number below zero is passed over.
          open[index].fd = -1
        }
      }
    }
    return contents
  }
}
