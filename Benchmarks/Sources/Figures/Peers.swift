// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Other libraries' queues, in a Python of their own that takes one order after the other.
package final class Peers {
  private let process = Process()
  private let orders = Pipe()
  private let answers = Pipe()
  private var read = Data()

  /// - Parameters:
  ///   - python: The program.
  ///   - script: What takes the orders.
  package init(python: String, script: String) {
    process.executableURL = URL(filePath: python)
    process.arguments = [script]
    process.standardInput = orders
    process.standardOutput = answers
  }

  /// How long a peer took, or what it said instead.
  package func seconds(
    _ peer: String, _ measure: String, in folder: URL, count: Int, retained: Int = 0
  ) throws -> Double {
    try seconds(peer, [measure, folder.path, "\(count)", "\(retained)"])
  }

  /// The same with the words of the order.
  package func seconds(_ peer: String, _ words: [String]) throws -> Double {
    if !process.isRunning { try process.run() }
    let order = ([peer] + words).joined(separator: "\t")
    try orders.fileHandleForWriting.write(contentsOf: Data((order + "\n").utf8))
    let answer = try line()
    guard let seconds = Double(answer) else { throw Refused(peer: peer, answer: answer) }
    return seconds
  }

  private func line() throws -> String {
    while true {
      if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
        defer { read = Data(read[read.index(after: end)...]) }
        return String(decoding: read[..<end], as: UTF8.self)
      }
      let more = answers.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Refused(peer: "python", answer: "it has ended") }
      read += more
    }
  }

  struct Refused: Error, CustomStringConvertible {
    let peer: String
    let answer: String
    var description: String { "\(peer): \(answer)" }
  }

  deinit { if process.isRunning { process.terminate() } }
}
