// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection of which a test decides each byte.
final class Socket: Sendable {
  struct Failure: Error {
    let step: String
    let code: Int32
  }

  private let descriptor: Int32

  /// Connects to a port of this machine; a read waits for at most 30 seconds.
  init(port: Int) throws {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw Failure(step: "socket", code: errno) }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
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

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Failure(step: "write", code: errno)
    }
  }

  /// Asks for a page, as the machine itself.
  func get(_ path: String) throws {
    try send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
  }

  /// What arrives up to and with a text, or until the other side has closed.
  func read(until end: String) throws -> String {
    var text = ""
    var byte: UInt8 = 0
    var bytes: [UInt8] = []
    while !text.hasSuffix(end) {
      let count = recv(descriptor, &byte, 1, 0)
      guard count >= 0 else { throw Failure(step: "read", code: errno) }
      if count == 0 { break }
      bytes.append(byte)
      text = String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  /// Everything until the other side has closed.
  func readAll() throws -> String { try read(until: "\u{0}never") }
}
