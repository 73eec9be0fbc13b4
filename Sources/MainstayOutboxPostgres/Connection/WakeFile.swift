// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pipe that wakes a thread which waits for a socket.
final class WakeFile: Sendable {
  /// What the thread waits for besides; -1 where the system had no file left.
  let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      (reading, writing) = (-1, -1)
      return
    }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    guard reading >= 0 else { return }
    close(reading)
    close(writing)
  }

  var isOpen: Bool { reading >= 0 }

  /// Wakes the thread; once is as good as often.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits for a socket, for a wake-up or for the time to pass.
  ///
  /// - Parameters:
  ///   - socket: The socket.
  ///   - writes: Whether there is something left to be written to it.
  ///   - deadline: When it is enough; nil for never.
  /// - Returns: What the socket is ready for; one that is broken can be read, which shows it.
  func wait(
    for socket: Int32, writes: Bool, until deadline: ContinuousClock.Instant?
  ) -> (canRead: Bool, canWrite: Bool) {
    let interest = Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0)
    var files = [
      pollfd(fd: socket, events: interest, revents: 0),
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&files, nfds_t(files.count), Self.milliseconds(until: deadline))
    // A signal came, or the time is over: whoever waits looks again.
    guard ready > 0 else { return (false, false) }
    if files[1].revents != 0 { drain() }
    let events = files[0].revents
    return (events & ~Int16(POLLOUT) != 0, events & Int16(POLLOUT) != 0)
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reading, &bytes, bytes.count) == bytes.count {}
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    guard seconds < 86_400 else { return 86_400_000 }
    return Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) + 1
  }
}
