// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension ResponseCache.Loaded {
  /// A value, kept as the headers of the answer say; <doc:CachingOverHTTP> has the rules.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - headers: The headers of the answer, in any spelling of their names.
  ///   - tags: What it is about, to be invalidated by.
  /// - Returns: The value, and what the service says about keeping it.
  public static func value(
    _ value: Value, headers: [String: String], tags: Set<String> = []
  ) -> ResponseCache.Loaded<Value> {
    var loaded = Self.value(value, tags: tags)
    loaded.heed(HTTPFields(headers))
    return loaded
  }

  /// The kept value, after an answer with the status 304.
  ///
  /// - Parameters:
  ///   - headers: The headers of that answer.
  ///   - tags: What it is about, to be invalidated by, in place of those that it was kept with;
  ///     none, the default, leaves those as they are.
  /// - Returns: That it is still right, and what the service says about keeping it.
  public static func unchanged(
    headers: [String: String], tags: Set<String> = []
  ) -> ResponseCache.Loaded<Value> {
    var loaded = Self.unchanged
    loaded.tags = tags
    loaded.heed(HTTPFields(headers))
    return loaded
  }

  private mutating func heed(_ fields: HTTPFields) {
    let rules = CacheDirectives(fields)
    validator = fields["etag"]
    // Said twice, the first one counts (RFC 9111, section 5.1).
    let ages = fields["age"].map { CacheDirectives.directives($0).map(\.name) }
    age = CacheDirectives.seconds(ages?.first) ?? .zero
    freshFor = rules.freshFor
    mustRevalidate = rules.mustRevalidate
    staleWhileRevalidate = rules.staleWhileRevalidate
    staleIfError = rules.staleIfError
    isPersonal = rules.isPersonal
    isKept = !rules.mustNotBeKept
  }
}

/// What an answer says about keeping it, as a cache of one person reads it.
///
/// Source: RFC 9111, sections 4.2.1 and 5.2.2, and RFC 5861. Where it is said twice or badly, the
/// stricter holds.
struct CacheDirectives: Sendable, Equatable {
  private(set) var freshFor: Duration?
  private(set) var mustRevalidate = false
  private(set) var staleWhileRevalidate: Duration?
  private(set) var staleIfError: Duration?
  private(set) var isPersonal = false
  private(set) var mustNotBeKept = false

  init(_ fields: HTTPFields) {
    if let text = fields["cache-control"] {
      for (name, value) in Self.directives(text) { heed(name, value) }
    } else if let pragma = fields["pragma"], pragma.lowercased().contains("no-cache") {
      heed("no-cache", nil)
    }
    if freshFor == nil, let expires = fields["expires"] {
      freshFor = Self.lifetime(expires: expires, date: fields["date"])
    }
    // What it depends on cannot be known.
    if fields["vary"]?.contains("*") ?? false { mustNotBeKept = true }
  }

  private mutating func heed(_ name: String, _ value: String?) {
    switch name {
    case "no-store": mustNotBeKept = true
    case "no-cache":
      freshFor = .zero
      mustRevalidate = true
    case "must-revalidate": mustRevalidate = true
    case "private": isPersonal = true
    case "max-age": freshFor = Self.least(freshFor, value)
    case "stale-while-revalidate":
      staleWhileRevalidate = Self.least(staleWhileRevalidate, value)
    case "stale-if-error": staleIfError = Self.least(staleIfError, value)
    default: break
    }
  }

  /// The shorter of what was said before and what is said now; what cannot be read is no time.
  private static func least(_ before: Duration?, _ text: String?) -> Duration {
    let time = seconds(text) ?? .zero
    return min(before ?? time, time)
  }

  /// The time from the one moment to the other; none where either is not there or cannot be read.
  ///
  /// Who leaves out when it was answered mostly has no clock, and says "never" by a time long past.
  private static func lifetime(expires: String, date: String?) -> Duration {
    // A year of two digits means the same in both.
    let now: Int64 = 1_800_000_000
    guard let end = HTTPDate(expires, now: now)?.seconds else { return .zero }
    guard let start = date.flatMap({ HTTPDate($0, now: now)?.seconds }) else { return .zero }
    return Duration.seconds(end - start).clamped
  }

  /// A number of seconds, cut to a year; nil for anything else.
  static func seconds(_ text: String?) -> Duration? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Duration.seconds(Int64(text) ?? Int64(Int32.max)).clamped
  }

  /// Names in lower case with their values, of a list in which commas may be quoted.
  static func directives(_ text: String) -> [(name: String, value: String?)] {
    var (parts, part): ([String], String) = ([], "")
    var (isQuoted, isEscaped) = (false, false)
    for character in text.unicodeScalars {
      if isEscaped {
        isEscaped = false
        part.unicodeScalars.append(character)
        continue
      }
      switch character {
      case "\\" where isQuoted: isEscaped = true
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        parts.append(part)
        part = ""
      default: part.unicodeScalars.append(character)
      }
    }
    return (parts + [part]).compactMap { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = pair.first.map { trimmed($0).lowercased() } ?? ""
      return name.isEmpty ? nil : (name, pair.count > 1 ? trimmed(pair[1]) : nil)
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
