// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for one test, gone with the last that holds it.
final class Folder: Sendable {
  /// From the root on, without links.
  let path: String

  init() throws {
    let made = FileManager.default.temporaryDirectory.appending(
      path: "audit-\(UUID().uuidString.lowercased())")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    path = made.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

  func write(_ name: String, _ data: Data) throws {
    let url = URL(filePath: file(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: file(name), withIntermediateDirectories: true)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: file(name), withDestinationPath: target)
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }
}

/// Code with one finding of MS201.
enum Sample {
  static let bad = """
    struct Store {
      let log: Logger
      func save() {
        do { try write() } catch {}
      }
    }

    """
  static let good = "let answer = 42\n"
  static let mended = bad.replacing("catch {}", with: #"catch { log.error("\(error)") }"#)
}
