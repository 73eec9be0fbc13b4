// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// A service answered a request with a status that is not a success.
///
/// It keeps what helps to understand the answer and nothing that is anybody's business: of the
/// address no user, query and fragment, of the body a short piece without what looks like a secret.
/// What may be done follows from the status, the method and whether the request may be repeated,
/// by the table of `AppError.http(status:)`.
///
/// Hummingbird has a type of this name for what its handlers throw. A file that imports both says
/// which one it means: `MainstayHTTP.HTTPError`, `Hummingbird.HTTPError`.
public struct HTTPError: Error, Sendable, Hashable {
  /// The status.
  public let status: Int
  /// The method, such as `POST`.
  public let method: String
  /// The address, without user, query and fragment.
  public let url: String
  /// Whether sending the request again does no harm: its method is idempotent, or it carries an
  /// idempotency key.
  public let isRepeatable: Bool
  /// What the service asked to wait, zero or more, cut to a year; nil where it did not.
  public let retryAfter: Duration?
  /// By what name the service knows the request; nil where it does not say.
  public let requestID: String?
  /// What the service says about the failure; nil where it says nothing, or in another form.
  public let problem: ProblemDetails?
  /// The beginning of a body that is text, redacted, of at most 2,000 bytes; nil for any other.
  public let excerpt: String?
  /// What names the fields that are wrong: the problem document, or another with such an object.
  private let fields: ProblemDetails?

  /// Makes an error of an answer.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - method: The method of the request; case does not matter.
  ///   - url: The address of the request; it is redacted here.
  ///   - headers: The headers of the answer, names in any case.
  ///   - body: The body, or the beginning of it.
  ///   - hasIdempotencyKey: Whether the request carried an idempotency key; the default is false.
  ///   - now: The time of day, for a `Retry-After` that names a moment in an answer without `Date`;
  ///     the default is the system's.
  public init(
    status: Int, method: String, url: String, headers: [String: String] = [:], body: Data = Data(),
    hasIdempotencyKey: Bool = false, now: Date = Date()
  ) {
    let fields = HTTPFields(headers)
    self.status = status
    self.method = BoundedText.cut(method.uppercased(), to: 32)
    self.url = Self.redacted(url)
    isRepeatable = hasIdempotencyKey || Self.idempotentMethods.contains(self.method)
    retryAfter = fields["retry-after"].flatMap {
      AppError.retryAfter(header: $0, date: fields["date"], now: now)
    }
    requestID = Self.requestID { fields[$0] }
    problem =
      fields.mediaType == ProblemDetails.contentType ? ProblemDetails(json: body) : nil
    self.fields =
      problem
      ?? (Self.mayNameFields(status, fields.mediaType) ? Self.namedFields(fields, body) : nil)
    excerpt = fields.isText ? Self.excerpt(of: body) : nil
  }

  /// RFC 9110, section 9.2.2, and the method QUERY.
  private static let idempotentMethods: Set<String> = [
    "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY",
  ]

  /// By what name a service knows a request.
  static func requestID(in headers: HTTPHeaderFields) -> String? { requestID { headers[$0] } }

  private static func requestID(_ value: (String) -> String?) -> String? {
    requestIDs.lazy.compactMap(value).first.map { BoundedText.redacted($0, to: 128) }
  }

  private static let requestIDs = [
    "x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "x-ms-request-id",
    "cf-ray",
  ]

  /// An address without what may be a secret.
  static func redacted(_ url: String) -> String {
    let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
    return BoundedText.redacted(String(url[..<end]), to: BoundedText.text)
  }

  /// Whether another document than one of a problem may name the fields that are wrong.
  static func mayNameFields(_ status: Int, _ mediaType: String?) -> Bool {
    (status == 400 || status == 422) && mediaType?.hasSuffix("json") == true
  }

  /// Another document than one of a problem, where it has an object of fields and what is wrong
  /// with them, or a list that says where.
  private static func namedFields(_ fields: HTTPFields, _ body: Data) -> ProblemDetails? {
    guard let document = ProblemDetails(json: body),
      document.hasNamedMistakes || document.hasLocatedMistakes
        || fields.mediaType == "application/vnd.api+json"
    else { return nil }
    return document
  }

  private static func excerpt(of body: Data) -> String? {
    guard !body.isEmpty else { return nil }
    let text = String(decoding: body.prefix(2 * BoundedText.text), as: UTF8.self)
    return BoundedText.redacted(text, to: BoundedText.text)
  }
}

extension HTTPError: AppErrorConvertible {
  /// The answer as people and policies see it.
  ///
  /// Errors of fields become the field of the error, and one cause each with the words of the
  /// service. What it says beside them about no field is a cause, too. Where it names no field at
  /// all, these are the words of the error. Its other words stand in the details alone.
  public var appError: AppError {
    let kind = problem.map(\.type).flatMap { $0 == "about:blank" ? nil : $0 }
    let answer = AppError.http(
      status: status, isRepeatable: isRepeatable, retryAfter: retryAfter, problemType: kind)
    let mistakes = (fields?.mistakes ?? []).map(Self.error(of:))
    let field = mistakes.lazy.compactMap(\.field).first
    // A service that names fields means what was entered, whichever number it takes for that.
    let isAboutFields =
      field != nil && answer.disposition == .permanent && (400...499).contains(status)
    let words =
      isAboutFields
      ? AppError.http(status: 422)
      : answer.kind == .conflict && !tellsWhatIsThere
        ? AppError.changedMeanwhile(status: status) : answer
    var metadata = answer.metadata
    metadata["http.method"] = method
    metadata["http.url"] = url
    metadata["http.request-id"] = requestID
    metadata["server.message"] = (problem?.detail ?? problem?.title).map {
      BoundedText.redacted($0, to: BoundedText.text)
    }
    let isAboutInput = words.kind == .validation && !mistakes.isEmpty
    return AppError(
      code: answer.code, kind: words.kind, disposition: answer.disposition,
      severity: words.severity, title: words.title,
      message: isAboutInput && field == nil ? Self.words(of: mistakes) : words.message,
      suggestion: words.suggestion, details: description, metadata: metadata,
      actions: words.actions, field: isAboutFields ? field : nil,
      underlying: isAboutInput ? mistakes : [])
  }

  /// Whether the problem holds a document, as the version that is there now would be; `errors` may
  /// have the mistakes by their names.
  private var tellsWhatIsThere: Bool {
    let others = problem?.extensions.filter { $0.key != "errors" }.values
    return others?.contains { if case .object = $0 { true } else { false } } ?? false
  }

  private static func error(of mistake: (pointer: JSONPointer?, detail: String)) -> AppError {
    .validation(
      LocalizableText(verbatim: BoundedText.cut(mistake.detail, to: BoundedText.text)),
      field: mistake.pointer, code: "http.field")
  }

  private static func words(of mistakes: [AppError]) -> LocalizableText {
    let lines = mistakes.map(\.message.description).joined(separator: "\n")
    return LocalizableText(verbatim: BoundedText.cut(lines, to: BoundedText.text))
  }
}

extension HTTPError: CustomStringConvertible {
  /// One line for logs: method, address, status and what the service says, redacted.
  public var description: String {
    var line = "\(method) \(url): HTTP status \(status)"
    if let requestID { line += ", request \(requestID)" }
    let words = [problem?.title, problem?.detail].compactMap { $0 }
    if !words.isEmpty {
      line += ": " + BoundedText.redacted(words.joined(separator: ". "), to: BoundedText.text)
    } else if let excerpt {
      line += ": " + excerpt
    }
    return line
  }
}
