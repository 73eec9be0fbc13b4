// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A port of loopback on which nobody listens, and which nobody else gets as long as it is held.
package final class HeldPort: Sendable {
  /// Its number.
  package let number: Int
  private let descriptor: Int32

  /// Takes a free port.
  ///
  /// - Parameter isShared: Whether whoever holds it may listen on it now and then, with the option
  ///   to reuse addresses; the default is false.
  /// - Throws: ``ServerFailure/noFreePort`` where the system has none.
  package init(isShared: Bool = false) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    if isShared {
      var isOn: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    number = Int(UInt16(bigEndian: address.sin_port))
    guard isBound else { throw ServerFailure.noFreePort }
  }

  deinit { close(descriptor) }
}
