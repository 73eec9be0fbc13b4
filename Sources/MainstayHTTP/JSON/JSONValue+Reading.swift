// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

extension JSONValue {
  /// How much is read before reading is refused; each number is cut to its legal range.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of a document; zero or more, 1,000,000 by default.
    public let bytes: Int
    /// The most levels of arrays and objects; 1 to 512, 64 by default.
    public let depth: Int
    /// The most characters of a number; 1 to 1,000,000, 1,000 by default.
    public let digits: Int
    /// Whether bytes in texts that are not valid UTF-8 are replaced; true by default.
    ///
    /// Otherwise such a document is refused.
    public let repairsText: Bool

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - bytes: The most bytes of a document.
    ///   - depth: The most levels of arrays and objects.
    ///   - digits: The most characters of a number.
    ///   - repairsText: Whether bytes in texts that are not valid UTF-8 are replaced.
    public init(
      bytes: Int = 1_000_000, depth: Int = 64, digits: Int = 1_000, repairsText: Bool = true
    ) {
      self.bytes = min(max(bytes, 0), .max - 1)
      self.depth = min(max(depth, 1), 512)
      self.digits = min(max(digits, 1), 1_000_000)
      self.repairsText = repairsText
    }
  }

  /// A document, or a value of one, is not what was expected; it says where, and what was.
  public struct ReadingError: Error, Sendable {
    /// The place of the value, such as `/result/0/id`; each name cut to 64 bytes.
    public let pointer: JSONPointer
    /// How many bytes of the document were read before; nil where it is about a type.
    public let offset: Int?
    /// What was expected there, such as `a comma or }` or `Int`.
    public let expected: String
    /// The error of the type that was being read; nil where there was none.
    public let cause: (any Error)?

    init(
      at pointer: JSONPointer, offset: Int? = nil, expected: String, cause: (any Error)? = nil
    ) {
      self.pointer = pointer
      self.offset = offset
      self.expected = expected
      self.cause = cause
    }
  }

  /// Reads a document, and says where it cannot be read.
  ///
  /// Nothing of the stack is used up by depth, and nothing beyond the limits is read.
  ///
  /// - Parameters:
  ///   - data: The document.
  ///   - limits: How much is read at most.
  /// - Throws: ``ReadingError`` with the place, and what was expected there.
  public init(reading data: Data, limits: Limits = Limits()) throws(ReadingError) {
    var reader = JSONReader(Array(data.prefix(limits.bytes + 1)), limits: limits)
    self = try reader.document()
  }
}

extension JSONValue.ReadingError: AppErrorConvertible {
  /// What a person reads: that the answer could not be read; permanent.
  public var appError: AppError {
    let row = AppError.wire(.badAnswer, wasSent: nil, cause: self)
    return AppError(
      code: row.code, kind: row.kind, disposition: row.disposition, title: row.title,
      message: row.message, suggestion: row.suggestion,
      details: BoundedText.redacted(description, to: BoundedText.text), actions: row.actions,
      underlying: cause.map { [$0] } ?? [])
  }
}

extension JSONValue.ReadingError: CustomStringConvertible {
  /// The place and what was expected there; nothing that stands in the document but its names.
  public var description: String {
    let place = pointer.tokens.isEmpty ? "the document" : BoundedText.cut("\(pointer)", to: 500)
    return place + (offset.map { " (byte \($0))" } ?? "") + ": expected \(expected)"
  }
}
