// SPDX-License-Identifier: Apache-2.0

/// A place in the source: where an error was made, or what it passed through.
public struct SourceSite: Sendable, Hashable, Codable {
  /// Module and file, such as `Shop/Cart.swift`; never an absolute path.
  public let fileID: String
  /// The function.
  public let function: String
  /// The line.
  public let line: Int

  /// Makes a site; without arguments it is the place of the call.
  ///
  /// Of an absolute path only the name of the file is kept: it may contain a person's name.
  public init(fileID: String = #fileID, function: String = #function, line: Int = #line) {
    // Bytes, not characters: sites are made on hot paths.
    let isAbsolute =
      fileID.utf8.first == UInt8(ascii: "/")
      || fileID.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: ":") }
    self.fileID =
      isAbsolute
      ? String(fileID.split(whereSeparator: { "/\\".contains($0) }).last ?? "") : fileID
    self.function = function
    self.line = line
  }
}

extension SourceSite {
  private static let modules: Set<String> = [
    "Mainstay", "MainstayUI", "MainstayHTTP", "MainstayAsyncHTTPClient",
    "MainstayJSONRPC", "MainstayOgmios", "MainstayOutbox",
  ]

  /// Whether it is a place of the package itself, where errors are made that happened elsewhere.
  var isOfMainstay: Bool {
    fileID.utf8.starts(with: "Mainstay".utf8)
      && Self.modules.contains(String(fileID.prefix { $0 != "/" }))
  }
}

extension SourceSite: CustomStringConvertible {
  /// File, line and function.
  public var description: String { "\(fileID):\(line) \(function)" }
}
