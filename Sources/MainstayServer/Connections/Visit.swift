// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Who came, and where to, in words that fit into a log whatever a stranger has sent.
package enum Visit {
  private static let longestPath = 200

  /// - Parameter address: Where the connection comes from.
  /// - Returns: Its address without the port, as programs that bar addresses read it; `none` where
  ///   it is not one of a network.
  package static func peer(_ address: SocketAddress?) -> String { address?.ipAddress ?? "none" }

  /// - Parameter target: The address that was asked for, as it was sent.
  /// - Returns: Its path in plain letters, and not too much of it; a query may hold secrets.
  package static func path(_ target: String) -> String {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    let text = path.prefix(longestPath).map { byte in
      (0x21...0x7E).contains(byte)
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
    }.joined()
    return path.count > longestPath ? text + "…" : text
  }
}
