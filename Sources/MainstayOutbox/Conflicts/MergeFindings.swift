// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One of the two sides that are merged.
public enum MergeSide: String, Sendable, Hashable, Codable, CaseIterable {
  /// This device.
  case local
  /// The server, or another device.
  case remote

  var other: MergeSide { self == .local ? .remote : .local }
}

/// A field that somebody has to decide about.
public struct FieldConflict: Sendable, Hashable, Codable {
  /// Why nothing could decide; more may come, so keep an `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Both sides changed it, each to something else.
    case bothChanged
    /// The sides differ, and what they had in common is not known.
    case noBase
    /// One side deleted what the other changed.
    case editedAndDeleted
    /// What came out breaks a rule of the app.
    case invalid
    /// The other side has another version, and did not say which.
    case noRemote
    /// It was merged again and again, and each time the other side had changed it meanwhile.
    case tooManyMerges
    /// Nobody knows whether an earlier run changed the other side, so what that has may hold the
    /// change already.
    case outcomeUnknown
  }

  /// The name of the field; ``MergePolicy/wholeRecord`` is the record as a whole,
  /// ``MergePolicy/otherFields`` what no rule names.
  ///
  /// Of a key in a map it is `name/key`, with `~0` for a `~` and `~1` for a `/` in the key.
  public let field: String
  /// Why nothing could decide.
  public let cause: Cause

  /// Makes a conflict of a field.
  public init(field: String, cause: Cause) {
    self.field = field
    self.cause = cause
  }
}

extension FieldConflict {
  /// How conflicts are kept; nil for none.
  package static func text(of conflicts: [FieldConflict]) throws -> String? {
    guard !conflicts.isEmpty else { return nil }
    return String(decoding: try JSONEncoder().encode(conflicts), as: UTF8.self)
  }

  /// Reads what was kept; what another build wrote may be unreadable, and then it is none.
  package static func all(in text: String?) -> [FieldConflict] {
    guard let text else { return [] }
    // mainstay:ignore MS204 -- another build may have written it
    return (try? JSONDecoder().decode([FieldConflict].self, from: Data(text.utf8))) ?? []
  }
}

/// The receipt of a change that a rule dropped: the result has the other side's instead.
public struct DiscardedChange: Sendable, Hashable, Codable {
  /// The field, named as in ``FieldConflict/field``.
  public let field: String
  /// Whose change was dropped.
  public let side: MergeSide
  /// The rule that did it, such as `preferRemote` or `lastWrite`.
  public let rule: String

  /// Makes a receipt.
  public init(field: String, side: MergeSide, rule: String) {
    self.field = field
    self.side = side
    self.rule = rule
  }
}

/// What a merge found on its way.
@usableFromInline
package struct MergeFindings: Sendable, Equatable {
  /// The field that is being merged; the record as a whole at first.
  package var field = ""
  package var conflicts: [FieldConflict] = []
  package var discarded: [DiscardedChange] = []
  package var anomalies: [String] = []
  /// What somebody decided about fields in conflict.
  package let choices: [String: MergeSide]

  @usableFromInline
  package init(choices: [String: MergeSide] = [:]) { self.choices = choices }

  /// The side that somebody chose for the present field; where nobody did, it is a conflict, and
  /// this side is shown meanwhile.
  @usableFromInline
  package mutating func chosen(_ cause: FieldConflict.Cause) -> MergeSide {
    if let side = choices[field] { return side }
    conflicts.append(FieldConflict(field: field, cause: cause))
    return .local
  }

  /// The value of that side.
  @inlinable
  mutating func chosen<Value>(
    _ cause: FieldConflict.Cause, _ local: Value, _ remote: Value
  ) -> Value {
    chosen(cause) == .local ? local : remote
  }

  @usableFromInline
  package mutating func discard(_ side: MergeSide, _ rule: String) {
    discarded.append(DiscardedChange(field: field, side: side, rule: rule))
  }

  /// Runs a part of a merge for one key of the present field.
  @usableFromInline
  package mutating func entering<Result>(
    _ key: String, _ body: (inout MergeFindings) -> Result
  ) -> Result {
    let outer = field
    field += "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
    defer { field = outer }
    return body(&self)
  }
}
