// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import TestSupport

/// A client of JSON-RPC that others wrote, in a process of its own: `Tools/jsonrpc-client.py`.
enum ForeignClient {
  struct Failed: Error {
    let output: String
  }

  /// Lets it do something, and returns what it saw.
  ///
  /// - Throws: Where it failed or is not there; the latter `Tools/setup tests` cures.
  static func run(
    _ what: String, at address: String, trusting authority: CertificateAuthority? = nil
  ) async throws -> JSONValue {
    let process = Process()
    process.executableURL = Peers.python
    process.arguments =
      [Peers.root.appending(path: "Tools/jsonrpc-client.py").path, what, address]
      + [authority?.file.path].compactMap(\.self)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try Launch.run(process)
    let text = await Peers.text(of: output)
    guard let document = JSONValue(json: Data(text.utf8)) else { throw Failed(output: text) }
    return document
  }
}
