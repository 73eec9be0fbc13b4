// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

/// What went wrong in the last run of an operation, as it is kept on disk.
public struct FailureNote: Sendable, Hashable, Codable {
  /// What is wrong with one field of what was sent.
  public struct Field: Sendable, Hashable, Codable {
    /// The place of the field in what was sent, such as `/email`.
    public let pointer: JSONPointer
    /// The stable name of the mistake.
    public let code: ErrorCode
    /// What is wrong with it, for people.
    public let message: LocalizableText
    /// What the person can do; nil where nothing is suggested.
    public let suggestion: LocalizableText?
  }

  /// What is kept besides the code and the English words.
  ///
  /// Each may be missing: earlier builds kept none of it.
  package struct Words: Sendable, Hashable, Codable {
    package var kind: ErrorKind?
    package var title: LocalizableText?
    package var message: LocalizableText?
    package var suggestion: LocalizableText?
    package var fields: [Field]?
    /// How many runs of the operation failed with an error that nobody has classified.
    ///
    /// It is no text, and lies here since each run that fails writes it anew.
    package var unclassified: Int?
  }

  /// How many fields are kept: the first ones.
  public static var maximumFields: Int { 20 }

  /// The stable name of the error.
  public let code: ErrorCode
  /// What a person reads about it, in English.
  public let message: String
  package let words: Words?

  /// What is wrong with which fields, as the other side said it, redacted; at most
  /// ``maximumFields``.
  ///
  /// An ``OperationAttempt`` has none of them.
  public var fields: [Field] { words?.fields ?? [] }

  /// Makes a note.
  public init(code: ErrorCode, message: String) { self.init(code: code, message: message, nil) }

  package init(code: ErrorCode, message: String, _ words: Words?) {
    self.code = code
    self.message = message
    self.words = words
  }

  /// Makes the note of an error.
  ///
  /// Technical details are not kept. The texts are kept so that they can be translated, each cut
  /// to 200 to 1,000 bytes and redacted. Of a field whose pointer is longer than 200 bytes nothing
  /// is kept.
  public init(_ error: AppError) {
    let title = error.title.description
    let fields = error.errorsOfFields.lazy.compactMap(Field.init).prefix(Self.maximumFields)
    self.init(
      code: error.code,
      message: title + (title.hasSuffix(".") ? " " : ". ") + error.message.description,
      Words(
        kind: error.kind, title: error.title.kept(upTo: 200),
        message: error.message.kept(upTo: 1_000),
        suggestion: error.suggestion?.kept(upTo: 400),
        fields: fields.isEmpty ? nil : Array(fields)))
  }

  /// The failure as a person reads it, in the language of the reader, for a form or a presenter.
  ///
  /// What is wrong with each field is among its causes: `FormModel.show(_:)` of MainstayUI puts
  /// each under its field. Its disposition is `permanent`, since it is for the outbox to repeat the
  /// call. Of a note without texts the English is shown.
  public var appError: AppError {
    let mistakes = fields.map { field in
      AppError.validation(
        field.message, suggestion: field.suggestion, field: field.pointer, code: field.code)
    }
    return AppError(
      code: code, kind: words?.kind ?? .unknown, disposition: .permanent,
      title: words?.title ?? "", message: words?.message ?? LocalizableText(verbatim: message),
      suggestion: words?.suggestion, field: mistakes.first?.field, underlying: mistakes)
  }
}

extension FailureNote {
  /// What is noted where something that had to be done before was given up.
  package static let dependencyFailed = FailureNote(
    code: "outbox.dependency-failed",
    message: "Something that has to be done first was given up.")

  /// What is noted where a run ended as if it had been cancelled, which nobody has done.
  package static let brokenOff = FailureNote(
    code: "outbox.broken-off",
    message: "The call was broken off before it was finished, and nobody had stopped it.")

  /// How many runs of the operation failed with an error that nobody has classified.
  package var unclassified: Int { max(words?.unclassified ?? 0, 0) }

  /// The same, with how many runs failed with an error that nobody has classified.
  package func counting(_ unclassified: Int) -> FailureNote {
    guard unclassified > 0 else { return self }
    var words = words ?? Words()
    words.unclassified = unclassified
    return FailureNote(code: code, message: message, words)
  }

  /// The note of one run among others: the code and the English alone.
  package var brief: FailureNote { FailureNote(code: code, message: message) }

  /// What is kept besides code and English, as a column has it; nil for nothing.
  package var column: String? {
    guard let words else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Without it the note says the same in English.
    return (try? encoder.encode(words)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a note from its columns; words that only a newer build can read are none here.
  package init(code: ErrorCode, message: String, column: String?) {
    let words = column.flatMap { try? JSONDecoder().decode(Words.self, from: Data($0.utf8)) }
    self.init(code: code, message: message, words)
  }
}

extension FailureNote.Field {
  /// Nil where the error names no field, or one with a pointer that is too long to be kept.
  fileprivate init?(_ error: AppError) {
    guard let pointer = error.field, pointer.description.utf8.count <= 200 else { return nil }
    self.init(
      pointer: pointer, code: error.code, message: error.message.kept(upTo: 400),
      suggestion: error.suggestion?.kept(upTo: 200))
  }
}
