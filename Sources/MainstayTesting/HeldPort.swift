// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A port of 127.0.0.1 that the system gives to nobody else as long as it is held.
package final class HeldPort: Sendable {
  /// No port is free.
  package struct NoneFree: Error {}

  /// Its number.
  package let number: Int
  private let descriptor: Int32
  /// Whether the descriptor is there to be closed.
  private let isOpen: Bool

  /// Takes a free port.
  ///
  /// - Parameter isShared: Whether a server may listen on it meanwhile that sets `SO_REUSEADDR`, as
  ///   those of SwiftNIO and PostgreSQL do; the default is false, and nobody listens on it then. On
  ///   platforms other than Linux such a port is let go at once, since nobody may listen beside it.
  /// - Throws: ``NoneFree``.
  package init(isShared: Bool = false) throws(NoneFree) {
    descriptor = socket(AF_INET, Self.kind, 0)
    let number = Self.bind(descriptor, to: 0, isShared: isShared)
    self.number = number ?? 0
    #if os(Linux)
      isOpen = true
    #else
      if isShared { close(descriptor) }
      isOpen = !isShared
    #endif
    guard number != nil else { throw NoneFree() }
  }

  /// A socket of its own for a server, bound to this port; the port is to be shared.
  ///
  /// - Returns: Its descriptor, which the caller closes.
  /// - Throws: ``NoneFree`` where somebody listens.
  package func socketToListen() throws(NoneFree) -> Int32 {
    let descriptor = socket(AF_INET, Self.kind, 0)
    guard Self.bind(descriptor, to: number, isShared: true) != nil else {
      close(descriptor)
      throw NoneFree()
    }
    return descriptor
  }

  /// Binds a socket to a port, or to a free one for 0.
  ///
  /// - Returns: Its number; nil where that is not possible.
  private static func bind(_ descriptor: Int32, to port: Int, isShared: Bool) -> Int? {
    if isShared {
      var isOn: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Foundation.bind(descriptor, address, length) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    return isBound ? Int(in_port_t(bigEndian: address.sin_port)) : nil
  }

  deinit { if isOpen { close(descriptor) } }

  #if os(Linux)
    // Children must not keep it when it is let go.
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  #else
    private static let kind = SOCK_STREAM
  #endif
}
