// SPDX-License-Identifier: Apache-2.0

/// By what a kept answer is known, as it stands beside it: its `ETag`, or its last change.
///
/// It remembers whether the answer depends on a field that its key does not have, since a 304 may
/// leave out what says so. No `ETag` begins like the words that it uses for that.
///
/// Source: RFC 9111, sections 4.1 and 4.3.
struct KeptVersion: Sendable, Equatable {
  private static let dated = "modified "
  private static let varied = "varies "

  /// Without the word for one of many.
  private let name: String
  /// Whether the answer is one of several, of which nobody knows which is right for a request.
  let isOfOneOfMany: Bool

  private init(_ name: String, isOfOneOfMany: Bool) {
    self.name = name
    self.isOfOneOfMany = isOfOneOfMany
  }

  /// Reads what stands beside an answer.
  init(_ text: String) {
    isOfOneOfMany = text.hasPrefix(Self.varied)
    name = isOfOneOfMany ? String(text.dropFirst(Self.varied.count)) : text
  }

  /// By an `ETag`.
  init(tag: String) { self.init(tag, isOfOneOfMany: false) }

  /// By a `Last-Modified`.
  init(date: String) { self.init(Self.dated + date, isOfOneOfMany: false) }

  /// What stands beside the answer.
  var text: String { (isOfOneOfMany ? Self.varied : "") + name }

  /// Whether it is known by its date alone.
  var isDate: Bool { name.hasPrefix(Self.dated) }

  /// The same where the answer depends on more than its key.
  ///
  /// Of a date nothing is left: another one of them, older than this, would count as not modified.
  var ofOneOfMany: KeptVersion { KeptVersion(isDate ? "" : name, isOfOneOfMany: true) }

  /// The same where it depends on nothing else.
  var ofTheOnly: KeptVersion? { name.isEmpty ? nil : KeptVersion(name, isOfOneOfMany: false) }

  /// The field that says under which condition the answer is sent whole again; nil where nothing
  /// is known to ask by.
  var condition: HTTPHeaderFields.Field? {
    if name.isEmpty { return nil }
    guard isDate else { return HTTPHeaderFields.Field("If-None-Match", name) }
    return HTTPHeaderFields.Field("If-Modified-Since", String(name.dropFirst(Self.dated.count)))
  }
}
