// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Foundation

  /// Passes on what comes over a network to a socket in a folder, and back, until it is killed.
  ///
  /// A worker in a network of its own reaches its server by this, through a cable that can fail.
  enum Relay {
    static func run(port: UInt16, path: String) -> Never {
      let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var isReused: Int32 = 1
      setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &isReused, 4)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listening, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isBound, listen(listening, 64) == 0 else { exit(2) }
      while true {
        let client = accept(listening, nil, nil)
        guard client >= 0 else { continue }
        guard let server = connected(to: path) else {
          close(client)
          continue
        }
        start { pass(from: client, to: server) }
        start { pass(from: server, to: client) }
      }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) {
      Thread(block: body).start()
    }

    /// Ends both ways when one of them ends; the numbers stay taken, so that no other connection
    /// gets them while the other way still uses them.
    private static func pass(from source: Int32, to target: Int32) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(source, &bytes, bytes.count)
        guard count > 0 else { break }
        var sent = 0
        while sent < count {
          let more = bytes.withUnsafeBytes {
            send(target, $0.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL))
          }
          guard more > 0 else { break }
          sent += more
        }
        guard sent == count else { break }
      }
      shutdown(source, Int32(SHUT_RDWR))
      shutdown(target, Int32(SHUT_RDWR))
    }

    private static func connected(to path: String) -> Int32? {
      let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isConnected else {
        close(server)
        return nil
      }
      return server
    }
  }
#endif
