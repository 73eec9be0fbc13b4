// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lets one client in, as a server of any version would, and says no more; or refuses it.
final class OldServer: Sendable {
  let port: Int
  private let socket: Int32

  struct NoPort: Error {}

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - version: What it says that it is.
  ///   - refusal: How it refuses its client: the grade in the server's language, the five letters
  ///     and the words; nil for letting it in.
  ///   - encryption: What it says when it is asked for encryption, and then it hangs up; nil for
  ///     that there is none.
  /// - Throws: `NoPort`.
  init(
    version: String, refusing refusal: (grade: String, state: String, words: String)? = nil,
    answering encryption: String? = nil
  ) throws {
    #if os(Linux)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listening = Foundation.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, length) == 0 && getsockname(listening, $0, &length) == 0
      }
    }
    guard isBound, listen(listening, 4) == 0 else { throw NoPort() }
    (socket, port) = (listening, Int(in_port_t(bigEndian: address.sin_port)))
    // It listens until its client has come, whoever still holds it.
    let thread = Thread { [self] in
      let client = withExtendedLifetime(self) { accept(listening, nil, nil) }
      guard client >= 0 else { return }
      if let encryption {
        Self.skipMessage(client)
        Self.send(Array(encryption.utf8), to: client)
        close(client)
        return
      }
      Self.letIn(client, version: version, refusal)
      // Until the client goes.
      var byte: UInt8 = 0
      while read(client, &byte, 1) == 1 {}
      close(client)
    }
    thread.start()
  }

  deinit { close(socket) }

  private static func letIn(
    _ client: Int32, version: String, _ refusal: (grade: String, state: String, words: String)?
  ) {
    // First it asks for encryption, and is told that there is none.
    skipMessage(client)
    send([UInt8(ascii: "N")], to: client)
    skipMessage(client)
    if let refusal {
      let fields = ["S" + refusal.grade, "C" + refusal.state, "M" + refusal.words]
      send(message("E", fields.flatMap { Array($0.utf8) + [0] } + [0]), to: client)
      return
    }
    let version = Array("server_version".utf8) + [0] + Array(version.utf8) + [0]
    send(
      message("R", [0, 0, 0, 0]) + message("S", version) + message("Z", [UInt8(ascii: "I")]),
      to: client)
  }

  /// Reads the length of a message, and then the message.
  private static func skipMessage(_ client: Int32) {
    var length = [UInt8](repeating: 0, count: 4)
    guard read(client, &length, 4) == 4 else { return }
    var left = length.reduce(0) { $0 << 8 | Int($1) } - 4
    var byte: UInt8 = 0
    while left > 0, read(client, &byte, 1) == 1 { left -= 1 }
  }

  private static func message(_ kind: Unicode.Scalar, _ content: [UInt8]) -> [UInt8] {
    [UInt8(ascii: kind), 0, 0, UInt8((content.count + 4) >> 8), UInt8((content.count + 4) & 255)]
      + content
  }

  private static func send(_ bytes: [UInt8], to client: Int32) {
    _ = write(client, bytes, bytes.count)
  }
}
