// SPDX-License-Identifier: Apache-2.0

extension HTTPPath {
  /// The whole address that a link means which stands in an answer.
  ///
  /// One with another scheme than those of HTTP is illegal. Source: RFC 3986, section 5.2.
  ///
  /// - Parameters:
  ///   - link: The link, relative or absolute; its fragment is for its reader.
  ///   - address: The address that has answered.
  init(_ link: String, at address: WireAddress) {
    let scalars = link.unicodeScalars
    let start = scalars.drop { $0.properties.isWhitespace }.prefix { $0 != "#" }
    let text = Self.encoded(String(start), keeping: Self.isLegal)
    if let scheme = Self.scheme(of: text) {
      let isOfHTTP =
        ["http", "https"].contains(scheme)
        && text.dropFirst(scheme.count + 1)
          .hasPrefix("//")
      self = isOfHTTP ? HTTPPath(Place(text).whole) : HTTPPath(text: text, isIllegal: true)
      return
    }
    let place = Place(address.text)
    self =
      if text.hasPrefix("//") {
        HTTPPath(Place("\(place.origin.prefix { $0 != "/" })" + text).whole)
      } else {
        HTTPPath(place.origin + place.resolved(text))
      }
  }

  /// What stands before the first colon, in lower case; nil where no scheme does.
  private static func scheme(of text: String) -> String? {
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    guard name.first?.isLetter == true, text.dropFirst(name.count).first == ":" else { return nil }
    return name.lowercased()
  }

  /// An absolute address in its parts.
  private struct Place {
    let origin: String
    /// All that stands before the path.
    private let beginning: Substring
    private let path: Substring
    private let query: Substring

    init(_ address: String) {
      let whole = address.prefix { $0 != "#" }
      let host = whole.firstRange(of: "://")?.upperBound ?? whole.startIndex
      let path = whole[host...].firstIndex { $0 == "/" || $0 == "?" } ?? whole.endIndex
      let query = whole[path...].firstIndex(of: "?") ?? whole.endIndex
      // A name and a password are the client's own, and stand in none of its links.
      let name = whole[host..<path].lastIndex(of: "@").map { whole.index(after: $0) } ?? host
      origin = String(whole[..<host] + whole[name..<path])
      beginning = whole[..<path]
      self.path = whole[path..<query]
      self.query = whole[query...]
    }

    /// The address itself, with what the dots in its path mean.
    var whole: String {
      beginning + (path.isEmpty ? "" : Self.withoutDots(path)) + query
    }

    /// The path and the query of a link that has neither scheme nor host.
    func resolved(_ link: String) -> String {
      let end = link.firstIndex(of: "?") ?? link.endIndex
      let (linkPath, linkQuery) = (link[..<end], link[end...])
      guard !linkPath.isEmpty else { return String(path + (linkQuery.isEmpty ? query : linkQuery)) }
      let isWhole = linkPath.hasPrefix("/")
      let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
      return Self.withoutDots(isWhole ? linkPath : folder + "/" + linkPath) + linkQuery
    }

    private static func withoutDots(_ path: Substring) -> String {
      let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      var kept: [Substring] = []
      for segment in segments {
        if segment == ".." { _ = kept.popLast() }
        if segment != ".", segment != ".." { kept.append(segment) }
      }
      let isFolder = segments.last == "." || segments.last == ".."
      return "/" + (isFolder ? kept + [""] : kept).joined(separator: "/")
    }
  }
}
