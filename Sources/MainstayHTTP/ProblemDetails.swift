// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// What a service says about a failure, as `application/problem+json`.
///
/// Reading is tolerant: a member of a wrong type counts as not there, and what is not known is kept
/// among the ``extensions``. Nothing of the document is lost when it is written again. None of it
/// decides what may be done: that is the status. Source: RFC 9457.
public struct ProblemDetails: Sendable, Hashable {
  /// The value of `Content-Type`.
  public static let contentType = "application/problem+json"

  /// The most bytes of a document that are read, as ``JSONValue`` reads them by default.
  static let maximumBytes = JSONValue.Limits().bytes

  /// What is wrong with one field of what was sent.
  public struct FieldError: Sendable, Hashable {
    /// The place of the field in what was sent, such as `/barcode`.
    public var pointer: JSONPointer
    /// What is wrong with it, for people.
    public var detail: String

    /// Makes the error of a field.
    public init(pointer: JSONPointer, detail: String) {
      self.pointer = pointer
      self.detail = detail
    }
  }

  /// The address that names the kind of problem; `about:blank`, the default, for none but the
  /// status.
  public var type: String
  /// The kind of problem in a few words, the same for all of a kind.
  public var title: String?
  /// The status of HTTP, 100 to 599; the one in the answer itself counts.
  public var status: Int?
  /// What is wrong this time, for people; no program reads it.
  public var detail: String?
  /// The address that names this one occurrence.
  public var instance: String?
  /// All other members, by name.
  public var extensions: [String: JSONValue]

  /// Members of RFC 9457 with a value of a wrong type, which are written again as they were.
  private var unread: [String: JSONValue] = [:]

  /// Makes a document, such as for an answer of a server of your own.
  ///
  /// - Parameters:
  ///   - type: The address that names the kind of problem; the default is `about:blank`.
  ///   - title: The kind of problem in a few words.
  ///   - status: The status of HTTP.
  ///   - detail: What is wrong this time, for people.
  ///   - instance: The address that names this one occurrence.
  ///   - extensions: Other members, by name; none of those above.
  public init(
    type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
    instance: String? = nil, extensions: [String: JSONValue] = [:]
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.instance = instance
    self.extensions = extensions
  }

  /// Reads a document; nil for what is no object of JSON, or too long or deep for ``JSONValue``.
  public init?(json data: Data) {
    guard case .object(var members)? = JSONValue(json: data) else { return nil }
    var unread: [String: JSONValue] = [:]
    func read<Value>(_ name: String, _ convert: (JSONValue) -> Value?) -> Value? {
      guard let value = members.removeValue(forKey: name) else { return nil }
      let converted = convert(value)
      if converted == nil { unread[name] = value }
      return converted
    }
    type = read("type", \.string) ?? "about:blank"
    title = read("title", \.string)
    status = read("status") { value in
      value.integer.flatMap { (100...599).contains($0) ? $0 : nil }
    }
    detail = read("detail", \.string)
    instance = read("instance", \.string)
    extensions = members
    self.unread = unread
  }

  /// The document as JSON, the same bytes for equal documents.
  public var encoded: Data {
    var members = extensions
    members.merge(unread) { $1 }
    if type != "about:blank" { members["type"] = .string(type) }
    members["title"] = title.map(JSONValue.string) ?? members["title"]
    members["status"] = status.map(JSONValue.integer) ?? members["status"]
    members["detail"] = detail.map(JSONValue.string) ?? members["detail"]
    members["instance"] = instance.map(JSONValue.string) ?? members["instance"]
    return JSONValue.object(members).encoded
  }
}

extension ProblemDetails {
  private static let maximumFields = 100

  /// What is wrong with which fields, of the member `errors`; at most 100.
  ///
  /// A pointer may stand there as such (`/age`) or as the fragment of an address (`#/age`). What
  /// has no legal pointer, or says nothing, is left out here and stays among the ``extensions``.
  /// What it says is in ``HTTPError/appError``, without a field. Where `errors` is an object of
  /// names and texts, in the form of several frameworks, a name is the field of that name at the
  /// top: `{"title": ["It is too long."]}` is about `/title`.
  ///
  /// Two more forms are read. A `source` of JSON:API is about the attribute or relationship itself:
  /// `/data/attributes/title` is `/title` here. Where there is no `errors`, a `detail` that is a
  /// list, as FastAPI and Pydantic write it, has the place in `loc` and the words in `msg`:
  /// `["body", "title"]` is `/title`.
  ///
  /// Writing replaces all of them by the member `errors`. Source: RFC 9457, section 3; RFC 6901,
  /// section 6; JSON:API 1.1, error objects.
  public var fieldErrors: [FieldError] {
    get {
      mistakes.compactMap { mistake in
        mistake.pointer.map { FieldError(pointer: $0, detail: mistake.detail) }
      }
    }
    set {
      if unread["detail"]?.array != nil { unread["detail"] = nil }
      guard !newValue.isEmpty else {
        extensions["errors"] = nil
        return
      }
      extensions["errors"] = .array(
        newValue.map { error in
          .object([
            "pointer": .string(error.pointer.description), "detail": .string(error.detail),
          ])
        })
    }
  }

  /// What is wrong, also where no field is named legally; at most 100.
  var mistakes: [(pointer: JSONPointer?, detail: String)] {
    if hasNamedMistakes { return namedMistakes }
    guard let errors = extensions["errors"]?.array else { return locatedMistakes }
    return errors.prefix(Self.maximumFields).compactMap { element in
      guard let detail = Self.words(element["detail"]) ?? Self.words(element["title"]) else {
        return nil
      }
      // Others have a source as well, which names no field.
      let field = element["source"].flatMap(Self.field)
      return (field ?? element["pointer"]?.string.flatMap(Self.pointer), detail)
    }
  }

  /// Whether a list of errors has a form that cannot be anything else.
  var hasLocatedMistakes: Bool {
    guard let errors = extensions["errors"]?.array else {
      return locatedMistakes.contains { $0.pointer != nil }
    }
    return errors.prefix(Self.maximumFields).contains { error in
      error["source"].flatMap(Self.field) != nil
    }
  }

  /// The field that a source of JSON:API is about: attributes and relationships share their names,
  /// and a form has no more than these.
  private static func field(_ source: JSONValue) -> JSONPointer? {
    guard var tokens = source["pointer"]?.string.flatMap(pointer)?.tokens[...] else { return nil }
    if ["attributes", "relationships"].contains(tokens.dropFirst().first), tokens.first == "data" {
      tokens = tokens.dropFirst(2)
    }
    return tokens.isEmpty || tokens == ["data"] ? nil : JSONPointer(tokens: Array(tokens))
  }

  /// What a validation of Pydantic has found, as FastAPI sends it.
  private var locatedMistakes: [(pointer: JSONPointer?, detail: String)] {
    (unread["detail"]?.array ?? []).prefix(Self.maximumFields).compactMap { element in
      guard let detail = Self.words(element["msg"]), let place = element["loc"]?.array else {
        return nil
      }
      var tokens = place.compactMap { $0.string ?? $0.integer.map(String.init) }[...]
      switch tokens.first {
      case "body": tokens = tokens.dropFirst()
      case "query", "path", "header", "cookie": return (nil, detail)
      default: break
      }
      return (tokens.isEmpty ? nil : JSONPointer(tokens: Array(tokens)), detail)
    }
  }

  private static func words(_ value: JSONValue?) -> String? {
    value?.string.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
  }

  /// Whether `errors` is an object of names and texts.
  var hasNamedMistakes: Bool { extensions["errors"]?.object != nil }

  /// By their names, so that the order is the same each time.
  private var namedMistakes: [(pointer: JSONPointer?, detail: String)] {
    let members = (extensions["errors"]?.object ?? [:]).sorted { $0.key < $1.key }
    let all = members.lazy.flatMap { name, value in
      let texts = value.array?.lazy.compactMap(\.string) ?? value.string.map { [$0] } ?? []
      let pointer = name.isEmpty ? nil : JSONPointer(tokens: [name])
      return texts.filter { $0.contains { !$0.isWhitespace } }.map { (pointer, $0) }
    }
    return Array(all.prefix(Self.maximumFields))
  }

  private static func pointer(_ text: String) -> JSONPointer? {
    guard text.hasPrefix("#") else { return JSONPointer(text) }
    return text.dropFirst().removingPercentEncoding.flatMap { JSONPointer($0) }
  }
}
