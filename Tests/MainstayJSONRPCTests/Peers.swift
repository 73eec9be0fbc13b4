// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport

/// Servers of JSON-RPC that others wrote, in a process of their own: `Tools/jsonrpc-peers.py`.
final class Peers: Sendable {
  struct Missing: Error {}

  let http: URL
  let webSocket: URL
  private let process: Locked<Process>
  private let input: Pipe

  /// Starts them, and returns once they listen.
  ///
  /// - Throws: Where they are not there, which `Tools/setup tests` cures.
  init() async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let process = Process()
    process.executableURL = root.appending(path: ".build/jsonrpc-peers/bin/python")
    process.arguments = [root.appending(path: "Tools/jsonrpc-peers.py").path]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try Launch.run(process)
    let ports = await Self.firstLine(of: output).split(separator: " ").compactMap { Int($0) }
    guard ports.count == 2 else { throw Missing() }
    http = try Service.address("http://127.0.0.1:\(ports[0])/")
    webSocket = try Service.address("ws://127.0.0.1:\(ports[1])/")
    self.process = Locked(process)
    self.input = input
  }

  private static func firstLine(of output: Pipe) async -> String {
    let (parts, continuation) = AsyncStream.makeStream(of: Data.self)
    let handle = output.fileHandleForReading
    handle.readabilityHandler = { handle in
      let part = handle.availableData
      if part.isEmpty { continuation.finish() } else { continuation.yield(part) }
    }
    defer { handle.readabilityHandler = nil }
    var text = ""
    for await part in parts {
      text += String(decoding: part, as: UTF8.self)
      if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
    }
    return text
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.withLock { $0.terminate() }
  }
}
