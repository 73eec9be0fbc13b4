// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A port of 127.0.0.1 that the system gives to nobody else, also while its server is stopped.
///
/// On Linux a server that sets `SO_REUSEADDR`, as PostgreSQL and SwiftNIO do, may listen where a
/// socket with the same option is bound and does not listen; others are not given that port.
public final class ReservedPort: Sendable {
  /// No port is free.
  public struct NoneFree: Error {}

  /// Its number.
  public let number: Int
  private let descriptor: Int32

  /// Reserves one that is free.
  ///
  /// - Throws: ``NoneFree``.
  public init() throws {
    descriptor = socket(AF_INET, Self.kind, 0)
    var isReused: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    number = Int(in_port_t(bigEndian: address.sin_port))
    #if !os(Linux)
      // Elsewhere nobody may listen beside it.
      close(descriptor)
    #endif
    guard isBound else { throw NoneFree() }
  }

  deinit {
    #if os(Linux)
      close(descriptor)
    #endif
  }

  #if os(Linux)
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  #else
    private static let kind = SOCK_STREAM
  #endif
}
