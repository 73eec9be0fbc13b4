// SPDX-License-Identifier: Apache-2.0

private enum Keys: CodingKey {
  case record, base, local, phase, conflict, merges, sent, heard, isInDoubt
}

extension ConflictStateMachine: Encodable where Record: Encodable {
  /// Encodes all that the machine knows.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Keys.self)
    try values.encode(record, forKey: .record)
    try values.encode(base, forKey: .base)
    try values.encode(local, forKey: .local)
    try values.encode(phase, forKey: .phase)
    try values.encodeIfPresent(conflict, forKey: .conflict)
    try values.encode(merges, forKey: .merges)
    try values.encodeIfPresent(sent, forKey: .sent)
    try values.encodeIfPresent(heard, forKey: .heard)
    if isInDoubt { try values.encode(true, forKey: .isInDoubt) }
  }
}

extension ConflictStateMachine: Decodable where Record: Decodable {
  /// Decodes a machine.
  ///
  /// - Throws: `DecodingError` also where its parts do not fit together, such as a conflict without
  ///   a conflict.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Keys.self)
    self.init(
      record: try values.decode(String.self, forKey: .record),
      base: try values.decode(VersionedState<Record>.self, forKey: .base),
      local: try values.decode(RecordState<Record>.self, forKey: .local))
    let found = phase
    phase = try values.decode(Phase.self, forKey: .phase)
    conflict = try values.decodeIfPresent(Conflict<Record>.self, forKey: .conflict)
    merges = try values.decode(Int.self, forKey: .merges)
    sent = try values.decodeIfPresent(RecordState<Record>.self, forKey: .sent)
    heard = try values.decodeIfPresent(VersionedState<Record>.self, forKey: .heard)
    isInDoubt = try values.decodeIfPresent(Bool.self, forKey: .isInDoubt) ?? false
    let isPossible =
      switch phase {
      case .settled, .pending:
        phase == found && sent == nil && heard == nil && conflict == nil && !isInDoubt
      case .sending: sent != nil && conflict == nil
      case .conflicted: conflict?.record == record && sent == nil && heard == nil
      }
    guard isPossible, (0...1000).contains(merges) else {
      throw DecodingError.dataCorruptedError(
        forKey: .phase, in: values,
        debugDescription: "what is known of the record does not fit the phase \(phase)")
    }
  }
}
