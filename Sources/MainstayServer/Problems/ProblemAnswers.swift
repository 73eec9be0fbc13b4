// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPTypes
public import Mainstay
import MainstayHTTP
import NIOCore

/// Turns errors into answers of HTTP: a status, problem details and, where it is known, when to try
/// again.
///
/// Only texts that a person may read leave the service: title, message and suggestion of the
/// `AppError` that the error is classified as. Details, causes and types stay inside, and so do all
/// words of an error that nobody has classified. Source: RFC 9457.
public struct ProblemAnswers: Sendable {
  /// An error as it is answered.
  public struct Answer: Sendable {
    /// What the error is classified as; its `id` is the answer's `instance`.
    public let error: AppError
    /// The status.
    public let status: HTTPResponse.Status
    /// `Content-Type`, `Retry-After` where it is known, and `WWW-Authenticate` for 401.
    public let fields: HTTPFields
    /// The problem details as JSON.
    public let body: Data
  }

  /// The start of the address that names a kind of problem; its code follows.
  public var types: String
  /// How errors are classified; nil for the mapping that holds where an error is met.
  public var mapping: ErrorMapping?
  /// What callers sign in with, which is told as `WWW-Authenticate` with 401, such as `Bearer`.
  ///
  /// RFC 9110, section 15.5.2, asks for it in every 401. The default is nil, for only the app
  /// knows.
  public var challenge: String?
  /// Says the status of an error; nil for what ``status(of:)`` says.
  public var status: (@Sendable (AppError) -> HTTPResponse.Status?)?

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - types: The start of the address that names a kind of problem, such as
  ///     `https://example.com/problems/`; the default is `urn:problem:`.
  ///   - mapping: How errors are classified; the default is the mapping that holds.
  ///   - challenge: What callers sign in with, told with 401, such as `Bearer`; the default is
  ///     nothing.
  ///   - status: Says the status of an error; nil for the usual one.
  public init(
    types: String = "urn:problem:", mapping: ErrorMapping? = nil, challenge: String? = nil,
    status: (@Sendable (AppError) -> HTTPResponse.Status?)? = nil
  ) {
    self.types = types
    self.mapping = mapping
    self.challenge = challenge
    self.status = status
  }

  /// The answer to an error.
  ///
  /// - Parameters:
  ///   - error: What was thrown.
  ///   - languages: The value of `Accept-Language`; the texts are in the first of those languages
  ///     that the catalogue has, or in English.
  /// - Returns: The answer.
  public func answer(to error: any Error, languages: String? = nil) -> Answer {
    let classified = classified(error)
    let status = status?(classified) ?? Self.status(of: classified)
    let words = Self.words(for: classified, status)
    let locale = Self.locale(of: words, for: languages)
    var problem = ProblemDetails(
      type: types + classified.code.rawValue, title: words.title.string(in: locale),
      status: status.code, detail: words.message.string(in: locale),
      instance: "urn:uuid:" + classified.id.uuidString.lowercased(),
      extensions: ["code": .string(classified.code.rawValue)])
    if let suggestion = words.suggestion {
      problem.extensions["suggestion"] = .string(suggestion.string(in: locale))
    }
    // Fields that another service names are those of what it was sent.
    problem.fieldErrors = classified.isOfService ? [] : classified.fields(in: locale)
    var fields: HTTPFields = [
      .contentType: ProblemDetails.contentType, .contentLanguage: Language.tag(of: locale),
      .cacheControl: "no-store",
    ]
    if let wait = Self.wait(of: classified, status) { fields[.retryAfter] = String(wait) }
    if status == .unauthorized { fields[.wwwAuthenticate] = challenge }
    return Answer(error: classified, status: status, fields: fields, body: problem.encoded)
  }

  /// The language that is wanted, or English where the words are there in nothing else: what an app
  /// has not had translated must not be told as a translation.
  private static func locale(of words: AppError, for languages: String?) -> Locale {
    let wanted = Language.locale(for: languages)
    let english = Language.locale(for: "en")
    let texts = [words.title, words.message] + (words.suggestion.map { [$0] } ?? [])
    let isEnglish = texts.allSatisfy { $0.string(in: wanted) == $0.string(in: english) }
    return isEnglish ? english : wanted
  }

  /// What another service has answered, where that was more than was to be collected.
  func answerTooLong(_ error: NIOTooManyBytesError) -> AppError {
    let known = classified(error)
    guard !known.isKnown else { return known.adding(metadata: [AppError.statusName: "502"]) }
    let words = AppError.http(status: 503, isRepeatable: true)
    return AppError(
      code: "server.answer-too-long", kind: .server, disposition: .permanent, title: words.title,
      message: words.message, suggestion: words.suggestion,
      details: "More than \(error.maxBytes.map(String.init) ?? "the allowed") bytes",
      metadata: [AppError.statusName: "502", "http.sent": "yes"], underlying: [error])
  }

  /// The error in the classification that holds.
  func classified(_ error: any Error) -> AppError {
    mapping.map { AppError.from(error, mapping: $0) } ?? AppError.from(error)
  }
}

extension ProblemAnswers {
  /// The status of an error that nobody has given another.
  ///
  /// What a service behind this one has answered is never passed off as this one's own answer: it
  /// is 502, or 503 where it will pass. What was only mapped from an error of the system, a file or
  /// a connection, is this service's own failure: its kind gives no status below 500.
  ///
  /// - Parameter error: The error.
  /// - Returns: 400 to 599; 503 for a cancellation, which somebody else than the caller asked for,
  ///   or nobody would read the answer.
  public static func status(of error: AppError) -> HTTPResponse.Status {
    if let own = error.answerStatus { return HTTPResponse.Status(code: own) }
    if error.kind == .cancelled { return .serviceUnavailable }
    if error.isOfService {
      return error.disposition.mayPass ? .serviceUnavailable : .badGateway
    }
    let usual = status(ofKind: error)
    guard error.isOfSystem, usual.kind == .clientError else { return usual }
    if error.disposition.mayPass { return .serviceUnavailable }
    return error.metadata["http.sent"] != nil || error.code.rawValue.hasPrefix("network.")
      ? .badGateway : .internalServerError
  }

  private static func status(ofKind error: AppError) -> HTTPResponse.Status {
    switch error.kind {
    case .validation: .unprocessableContent
    case .unauthorized: .unauthorized
    case .denied: .forbidden
    case .notFound, .userMissing: .notFound
    case .conflict: .conflict
    case .throttled: .tooManyRequests
    case .timeout: .gatewayTimeout
    case .storageFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    case .rejected, .network, .offline, .portal, .unavailable, .exhausted: .serviceUnavailable
    default: error.disposition.mayPass ? .serviceUnavailable : .internalServerError
    }
  }

  /// What is said of an error: where it is the service's own failure, and its words are none of the
  /// app's, general ones, since the usual ones are for whoever holds the device that failed.
  private static func words(for error: AppError, _ status: HTTPResponse.Status) -> AppError {
    guard error.isKnown else { return unknown }
    guard status.kind == .serverError else { return error }
    if error.isOfTooMuch { return .busy }
    let isForeign =
      error.isOfService || error.isOfSystem || error.isOfDatabase || error.isOfCoding
      || error.isOfPolicy || error.isOfDevice
    guard isForeign else { return error }
    return .http(status: 503, isRepeatable: true, retryAfter: error.disposition.retryAfter)
  }

  /// What is said where nobody has said what an error means.
  private static let unknown = AppError(
    code: "unknown", kind: .unknown, disposition: .unclassified,
    title: LocalizableText(key: "error.unknown.title", english: "Something unexpected happened"),
    message: LocalizableText(
      key: "error.unknown.message", english: "The app met a problem that it does not recognize."),
    suggestion: LocalizableText(
      key: "error.unknown.suggestion",
      english: "Try again. If it happens again, contact support."))

  /// Whole seconds after which to try again, at least one; nil where that is not known.
  private static func wait(of error: AppError, _ status: HTTPResponse.Status) -> Int? {
    guard [409, 429, 503].contains(status.code) else { return nil }
    guard let hint = error.disposition.retryAfter else {
      // A database that is away says nothing, and who asks again at once asks it in vain.
      return status == .serviceUnavailable && error.isOfStore && error.disposition.mayPass ? 1 : nil
    }
    return max(1, Int(min(hint.inSeconds, 86_400).rounded(.up)))
  }
}

extension AppError {
  /// The name of the status that this library gives one of its own errors.
  static let statusName = "server.answer"

  /// It may have come from another process, which may have said anything.
  fileprivate var answerStatus: Int? {
    metadata[Self.statusName].flatMap { Int($0) }.flatMap { (400...599).contains($0) ? $0 : nil }
  }

  /// Whether somebody has said what it means; else its words are those of some library, which may
  /// name hosts, files and statements.
  fileprivate var isKnown: Bool { disposition != .unclassified }

  /// Whether it is what another service has answered, which says nothing about this one's caller.
  fileprivate var isOfService: Bool {
    httpStatus != nil
      || underlying.contains { $0 is HTTPError || ($0 as? AppError)?.isOfService == true }
  }

  /// Whether it was only mapped from an error of the system, a file or a connection, which the
  /// service has met itself, or from one of its database that refused it.
  fileprivate var isOfSystem: Bool {
    metadata["error.domain"] != nil || metadata["http.sent"] != nil
      || (isOfDatabase && kind == .denied)
  }

  fileprivate var isOfDatabase: Bool {
    metadata["sql.state"] != nil || metadata["sqlite.result"] != nil
  }

  /// Whether an outbox or a database could not be worked with.
  fileprivate var isOfStore: Bool { isOfDatabase || code.rawValue.hasPrefix("outbox.") }

  /// Whether its words are for whoever holds the device that is not connected, or whose queue has
  /// failed: here that is the service.
  fileprivate var isOfDevice: Bool {
    [.portal, .offline].contains(kind) || code.rawValue.hasPrefix("outbox.")
  }

  /// Whether it is about data of the service's own: the body of a request that cannot be read is
  /// answered with 400 before.
  fileprivate var isOfCoding: Bool {
    metadata["decoding.path"] != nil || metadata["encoding.path"] != nil
  }

  /// Whether a policy refused it for something that whoever asks can do nothing about.
  fileprivate var isOfPolicy: Bool {
    // Less at a time is never refused, and what is asked for again always is.
    let ownWords: [Rejection.Reason] = [.deadlineTooClose, .costTooHigh]
    return metadata["policy.reason"].map { said in !ownWords.contains { $0.rawValue == said } }
      ?? false
  }

  /// Whether a policy refused it for want of room.
  fileprivate var isOfTooMuch: Bool {
    let reasons: [Rejection.Reason] = [
      .bulkheadFull, .waitedTooLong, .rateLimited, .limitReached,
    ]
    return metadata["policy.reason"].map { said in reasons.contains { $0.rawValue == said } }
      ?? false
  }

  /// What is wrong with which field: of the error itself, and of those that it was made from.
  fileprivate func fields(in locale: Locale) -> [ProblemDetails.FieldError] {
    let inside = errorsOfFields
    let isInside = inside.contains { $0.field == field }
    return ((isInside ? [] : [self]) + inside).compactMap { part in
      guard let field = part.field, !field.tokens.isEmpty else { return nil }
      return ProblemDetails.FieldError(pointer: field, detail: part.message.string(in: locale))
    }
  }
}

extension Disposition {
  /// Whether the same call may succeed later.
  fileprivate var mayPass: Bool {
    switch self {
    case .transient, .throttled, .rejected: true
    default: false
    }
  }
}
