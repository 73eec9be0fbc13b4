// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport

/// Servers of JSON-RPC that others wrote, in a process of their own: `Tools/jsonrpc-peers.py`.
final class Peers: Sendable {
  struct Missing: Error {}

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let python = root.appending(path: ".build/jsonrpc-peers/bin/python")

  let http: URL
  let webSocket: URL
  private let process: Locked<Process>
  private let input: Pipe

  /// Starts them, and returns once they listen.
  ///
  /// - Throws: Where they are not there, which `Tools/setup tests` cures.
  init() async throws {
    let process = Process()
    process.executableURL = Self.python
    process.arguments = [Self.root.appending(path: "Tools/jsonrpc-peers.py").path]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try Launch.run(process)
    let ports = await Self.text(of: output, upTo: "\n").split(separator: " ").compactMap { Int($0) }
    guard ports.count == 2 else { throw Missing() }
    http = try Service.address("http://127.0.0.1:\(ports[0])/")
    webSocket = try Service.address("ws://127.0.0.1:\(ports[1])/")
    self.process = Locked(process)
    self.input = input
  }

  /// What a program prints: up to a character, which is left out, or to its end.
  static func text(of output: Pipe, upTo end: Character? = nil) async -> String {
    var bytes = Data()
    for await part in output.parts() {
      bytes += part
      let text = String(decoding: bytes, as: UTF8.self)
      if let index = end.flatMap({ text.firstIndex(of: $0) }) { return String(text[..<index]) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.withLock { $0.terminate() }
  }
}
