// SPDX-License-Identifier: Apache-2.0

import Foundation
import NetworkTestSupport

/// A program on one end of a cable, or the service on the other end.
///
/// The two networks are made by the test that starts it: `v0`, with the address 10.9.0.1 and a
/// default route, is the near end; `v1`, with 10.9.0.2 and a service behind it at 10.9.1.2, is the
/// far end, in the network of another process.
///
/// Arguments: `peer` and the path of a socket; or the scenario, the process of the peer and a
/// folder.
@main struct NetworkChild {
  static func main() async {
    #if os(Linux)
      // What hangs is ended by the kernel.
      alarm(240)
      let arguments = CommandLine.arguments.dropFirst().map(\.description)
      guard arguments.count >= 2 else { exit(2) }
      do {
        if arguments[0] == "peer" {
          let server = try await LedgerServer(host: "0.0.0.0", port: 8_080, path: arguments[1])
          while !server.origin.isEmpty { pause() }
        } else {
          try await play(arguments)
        }
      } catch {
        print("failed: \(error)")
        exit(4)
      }
    #endif
  }

  #if os(Linux)
    private static func play(_ arguments: [String]) async throws {
      guard arguments.count == 3 else { exit(2) }
      let stage = try await Stage(peer: arguments[1], folder: URL(filePath: arguments[2]))
      switch arguments[0] {
      case "flap": try await stage.flap()
      case "blackHole": try await stage.blackHole()
      case "blackHoleWithin": try await stage.blackHoleWithin()
      case "portal": try await stage.portal()
      case "lateAnswer": try await stage.lateAnswer()
      case "address": try await stage.address()
      case "route": try await stage.route()
      case "idle": try await stage.idle()
      default: exit(2)
      }
      try await stage.end()
    }
  #endif
}
