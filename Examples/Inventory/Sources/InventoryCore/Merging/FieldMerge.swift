// SPDX-License-Identifier: Apache-2.0

internal import MainstayOutbox

/// What two sides made of the same item, field by field.
package struct FieldMerge: Sendable, Equatable {
  /// One field that both sides changed, each to something else.
  package struct Conflict: Sendable, Hashable, Codable {
    /// The name of the field.
    package let name: String
    /// What both had; nil where it was empty, or where that is not known.
    package let base: String?
    /// What this side has.
    package let local: String?
    /// What the other side has.
    package let remote: String?

    private enum CodingKeys: String, CodingKey {
      case name, base, local, remote
    }

    /// Every member is always written, as `null` where the field is empty.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(base, forKey: .base)
      try container.encode(local, forKey: .local)
      try container.encode(remote, forKey: .remote)
    }
  }

  private let base: ItemFields?
  private let local: ItemFields
  private let remote: ItemFields
  private let result: MergeResult<ItemFields>

  /// Merges title, author, year, location and notes field by field, and the quantity as a counter.
  ///
  /// - Parameters:
  ///   - base: What both sides had when this side was last equal to the other; nil for unknown.
  ///   - local: What this side has now.
  ///   - remote: What the other side has now.
  package init(base: ItemFields?, local: ItemFields, remote: ItemFields) {
    let identity = local.identity(completedBy: remote)
    self.base = base?.with(identity)
    self.local = local.with(identity)
    self.remote = remote.with(identity)
    result = Self.merge(self.base, self.local, self.remote)
  }

  /// The fields put together; a conflicting one has the value of this side.
  package var fields: ItemFields { result.state.record ?? local }

  /// The fields that somebody has to decide about, in the order of the document.
  package var conflicts: [Conflict] {
    result.conflicts.map { conflict in
      Conflict(
        name: conflict.field, base: base?.text(of: conflict.field),
        local: local.text(of: conflict.field), remote: remote.text(of: conflict.field))
    }
  }

  /// The fields with the other side's value wherever somebody had to decide.
  ///
  /// - Parameter names: For which of the fields in conflict; nil for all.
  /// - Returns: The fields, put together.
  package func takingRemote(of names: Set<String>? = nil) -> ItemFields {
    let chosen = result.conflicts.map(\.field).filter { names?.contains($0) ?? true }
    let choices = Dictionary(uniqueKeysWithValues: chosen.map { ($0, MergeSide.remote) })
    return Self.merge(base, local, remote, choices).state.record ?? fields
  }

  private static func merge(
    _ base: ItemFields?, _ local: ItemFields, _ remote: ItemFields,
    _ choices: [String: MergeSide] = [:]
  ) -> MergeResult<ItemFields> {
    let policy = base == nil ? withoutBase : policy
    return policy.merge(
      base: base.map(RecordState.present) ?? .missing, local: .present(local),
      remote: .present(remote), choosing: choices)
  }

  private static let texts: [MergeRule<ItemFields>] = [
    .field("title", \.title), .field("author", \.author), .field("year", \.year),
    .field("location", \.location), .field("notes", \.notes),
  ]

  private static let policy = MergePolicy(
    texts + [.field("quantity", \.quantity, .counter(in: ItemPatch.quantities))])

  /// A counter has to know where both began; without that, nobody's things are taken away.
  private static let withoutBase = MergePolicy(texts + [.field("quantity", \.quantity, .greatest)])
}

extension ItemFields {
  /// What a thing is does not change: whoever knows it says so.
  fileprivate func identity(completedBy other: ItemFields) -> (kind: ItemKind, barcode: String?) {
    (kind == .manual ? other.kind : kind, barcode ?? other.barcode)
  }

  fileprivate func with(_ identity: (kind: ItemKind, barcode: String?)) -> ItemFields {
    var fields = self
    (fields.kind, fields.barcode) = identity
    return fields
  }

  /// A field, as a person reads it.
  fileprivate func text(of name: String) -> String? {
    switch name {
    case "title": title
    case "author": author
    case "year": year.map(String.init)
    case "location": location
    default: notes
    }
  }
}
