// SPDX-License-Identifier: Apache-2.0

/// What one side has of a record.
///
/// Encoded it is `{"present": …}`, `"deleted"` or `"missing"`.
public enum RecordState<Record: Sendable>: Sendable {
  /// It is there.
  case present(Record)
  /// It is known that it is not there: it was deleted, or not made yet.
  case deleted
  /// Nothing is known; this never means deleted.
  case missing

  /// The record, where it is there.
  public var record: Record? {
    guard case .present(let record) = self else { return nil }
    return record
  }
}

extension RecordState: Equatable where Record: Equatable {}
extension RecordState: Hashable where Record: Hashable {}

private enum RecordStateKeys: CodingKey {
  case present
}

extension RecordState: Encodable where Record: Encodable {
  /// Encodes the state.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .present(let record):
      var values = encoder.container(keyedBy: RecordStateKeys.self)
      try values.encode(record, forKey: .present)
    case .deleted:
      var container = encoder.singleValueContainer()
      try container.encode("deleted")
    case .missing:
      var container = encoder.singleValueContainer()
      try container.encode("missing")
    }
  }
}

extension RecordState: Decodable where Record: Decodable {
  /// Decodes a state.
  public init(from decoder: any Decoder) throws {
    guard let name = try? decoder.singleValueContainer().decode(String.self) else {
      let values = try decoder.container(keyedBy: RecordStateKeys.self)
      self = .present(try values.decode(Record.self, forKey: .present))
      return
    }
    switch name {
    case "deleted": self = .deleted
    case "missing": self = .missing
    default:
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\"\(name.prefix(40))\" is neither deleted nor missing"))
    }
  }
}
