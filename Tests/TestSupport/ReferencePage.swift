// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A page of the documentation that is made from the code.
public struct ReferencePage: Sendable {
  /// Where it lies below the root of the package.
  public let path: String

  private var file: URL {
    URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: path)
  }

  /// Names a page.
  public init(_ path: String) { self.path = path }

  /// Compares the page with what the code says; nil where they agree, else what differs first.
  ///
  /// With `MAINSTAY_WRITE_REFERENCE=1`, which `make reference` sets, it is written before.
  public func difference(from current: String) throws -> String? {
    if ProcessInfo.processInfo.environment["MAINSTAY_WRITE_REFERENCE"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(current.utf8).write(to: file)
    }
    let written = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    guard written != current else { return nil }
    let line = zip(written.split(separator: "\n"), current.split(separator: "\n"))
      .first { $0 != $1 }
    return """
      \(path) is stale. Run `make reference`. First difference:
        written: \(line?.0 ?? "the end")
        current: \(line?.1 ?? "the end")
      """
  }

  /// A text as it stands in a cell of a table.
  public static func cell(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ").replacing("|", with: "\\|")
  }
}
