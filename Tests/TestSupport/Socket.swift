// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A connection of which a test decides each byte.
///
/// It is read on a thread of its own: a test that blocks one of the few threads of all tasks may
/// block the server that it waits for.
package final class Socket: Sendable {
  package struct Failure: Error {
    package let step: String
    package let code: Int32
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "mainstay.tests.socket")

  /// Connects to a port of this machine; a read waits for at most ten minutes.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - room: How many bytes may wait until they are read, as far as the system allows.
  /// - Throws: `Failure` where there is no connection.
  package init(port: Int, room: Int32? = nil) throws {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw Failure(step: "socket", code: errno) }
    var limit = timeval(tv_sec: 600, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if var room {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw Failure(step: "connect", code: code)
    }
  }

  deinit { close(descriptor) }

  /// Sends all of a text; waits while the other side takes none of it.
  ///
  /// - Throws: `Failure` where the other side has closed.
  package func send(_ text: String) throws {
    #if canImport(Glibc)
      let quietly = Int32(MSG_NOSIGNAL)
    #else
      let quietly: Int32 = 0
    #endif
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { sent($0, quietly) }
      guard count > 0 else { throw Failure(step: "write", code: errno) }
      bytes = bytes.dropFirst(count)
    }
  }

  private func sent(_ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    #if canImport(Glibc)
      Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #else
      Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #endif
  }

  /// Asks for a page, as the machine itself.
  package func get(_ path: String) throws {
    try send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
  }

  /// What arrives up to and with a text, or until the other side has closed.
  package func read(until end: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Result { try bytes(until: Array(end.utf8)) })
      }
    }
  }

  private func bytes(until end: [UInt8]) throws -> String {
    var byte: UInt8 = 0
    var bytes: [UInt8] = []
    while !bytes.suffix(end.count).elementsEqual(end) {
      let count = recv(descriptor, &byte, 1, 0)
      guard count >= 0 else { throw Failure(step: "read", code: errno) }
      if count == 0 { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads so many bytes, or what there is until the other side has closed.
  ///
  /// - Returns: How many there were.
  package func read(count: Int) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Result { try skipped(count) })
      }
    }
  }

  private func skipped(_ count: Int) throws -> Int {
    var part = [UInt8](repeating: 0, count: 4_096)
    var done = 0
    while done < count {
      let size = recv(descriptor, &part, min(part.count, count - done), 0)
      guard size >= 0 else { throw Failure(step: "read", code: errno) }
      if size == 0 { break }
      done += size
    }
    return done
  }

  /// Everything until the other side has closed.
  package func readAll() async throws -> String { try await read(until: "\u{0}never") }
}
