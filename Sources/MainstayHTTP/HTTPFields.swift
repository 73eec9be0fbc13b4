// SPDX-License-Identifier: Apache-2.0

/// The headers of an answer, by their names in lower case.
struct HTTPFields: Sendable {
  private let values: [String: String]

  init(_ headers: [String: String]) {
    // In the order of the names as written, so that two spellings are no matter of chance.
    values = Dictionary(
      headers.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) },
      uniquingKeysWith: { first, _ in first })
  }

  subscript(name: String) -> String? { values[name] }

  /// `Content-Type` without its parameters, in lower case; nil where there is none.
  var mediaType: String? { values["content-type"].map(Self.mediaType) }

  /// What a value of `Content-Type` says without its parameters, in lower case.
  static func mediaType(_ value: String) -> String {
    String(value.prefix { $0 != ";" }.filter { !$0.isWhitespace }).lowercased()
  }

  /// Whether the body can be read by people; where nothing is said, it is not looked at.
  var isText: Bool {
    guard let type = mediaType else { return false }
    return type.hasPrefix("text/") || type.hasSuffix("/json") || type.hasSuffix("+json")
      || type.hasSuffix("/xml") || type.hasSuffix("+xml")
  }

  /// Whether the body is a page for people.
  var isPage: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }
}
