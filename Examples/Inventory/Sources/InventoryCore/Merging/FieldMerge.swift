// SPDX-License-Identifier: Apache-2.0

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

  /// The fields put together; a conflicting one has the value of this side.
  package private(set) var fields: ItemFields
  /// The fields that somebody has to decide about, in the order of the document.
  package private(set) var conflicts: [Conflict] = []

  /// Merges title, author, year, location and notes field by field, and the quantity as a counter.
  ///
  /// - Parameters:
  ///   - base: What both sides had when this side was last equal to the other; nil for unknown.
  ///   - local: What this side has now.
  ///   - remote: What the other side has now.
  package init(base: ItemFields?, local: ItemFields, remote: ItemFields) {
    fields = local
    fields.barcode = local.barcode ?? remote.barcode
    if local.kind == .manual { fields.kind = remote.kind }
    merge("title", \.title, base, local, remote)
    merge("author", \.author, base, local, remote)
    merge("year", \.year, base, local, remote)
    merge("location", \.location, base, local, remote)
    merge("notes", \.notes, base, local, remote)
    fields.quantity = ThreeWayMerge.counter(
      base: base?.quantity, local: local.quantity, remote: remote.quantity,
      in: ItemPatch.quantities)
  }

  private mutating func merge<Value: Equatable & Sendable & TextConvertible>(
    _ name: String, _ path: WritableKeyPath<ItemFields, Value>, _ base: ItemFields?,
    _ local: ItemFields, _ remote: ItemFields
  ) {
    let known = base.map { $0[keyPath: path] }
    let (here, there) = (local[keyPath: path], remote[keyPath: path])
    switch ThreeWayMerge.value(base: known, local: here, remote: there) {
    case .resolved(let value): fields[keyPath: path] = value
    case .conflict:
      conflicts.append(
        Conflict(name: name, base: known?.asText, local: here.asText, remote: there.asText))
    }
  }

  /// The fields with the other side's value wherever somebody had to decide.
  ///
  /// - Parameters:
  ///   - remote: What the other side has.
  ///   - names: For which of the fields in conflict; nil for all.
  /// - Returns: The fields, put together.
  package func takingRemote(_ remote: ItemFields, of names: Set<String>? = nil) -> ItemFields {
    var result = fields
    for conflict in conflicts where names?.contains(conflict.name) ?? true {
      switch conflict.name {
      case "title": result.title = remote.title
      case "author": result.author = remote.author
      case "year": result.year = remote.year
      case "location": result.location = remote.location
      default: result.notes = remote.notes
      }
    }
    return result
  }
}

/// A value of a field, as a person reads it.
protocol TextConvertible {
  var asText: String? { get }
}

extension String: TextConvertible {
  var asText: String? { self }
}

extension Int: TextConvertible {
  var asText: String? { String(self) }
}

extension Optional: TextConvertible where Wrapped: TextConvertible {
  var asText: String? { flatMap(\.asText) }
}
