// SPDX-License-Identifier: Apache-2.0

/// What becomes of one field, or of fields that belong together, when two versions are merged.
public struct MergeRule<Record: Sendable & Equatable>: Sendable {
  /// The name of the field, in conflicts and receipts.
  public let name: String

  package let isSymmetric: Bool
  package let counts: Bool
  package let combines: Bool
  /// Whether it looks at a stamp in another field.
  package let readsStamp: Bool
  /// Merges the field.
  @usableFromInline let merge: @Sendable (inout MergeWork<Record>) -> Void
  package let differs: @Sendable (Record, Record) -> Bool
  /// Copies the field from one record to another.
  package let copy: @Sendable (Record, inout Record) -> Void

  @usableFromInline
  init(
    name: String, isSymmetric: Bool, counts: Bool, combines: Bool, readsStamp: Bool = false,
    merge: @escaping @Sendable (inout MergeWork<Record>) -> Void,
    differs: @escaping @Sendable (Record, Record) -> Bool,
    copy: @escaping @Sendable (Record, inout Record) -> Void
  ) {
    self.name = name
    self.isSymmetric = isSymmetric
    self.counts = counts
    self.combines = combines
    self.readsStamp = readsStamp
    self.merge = merge
    self.differs = differs
    self.copy = copy
  }
}

extension MergeRule {
  /// A field with a strategy.
  ///
  /// - Parameters:
  ///   - name: The name of the field; not blank.
  ///   - path: Where it is.
  ///   - strategy: What becomes of it when both sides changed it.
  /// - Returns: The rule.
  @inlinable
  public static func field<Value>(
    _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable,
    _ strategy: MergeStrategy<Value>
  ) -> MergeRule {
    MergeRule(
      name: name, isSymmetric: strategy.traits.contains(.isSymmetric),
      counts: strategy.traits.contains(.counts), combines: strategy.traits.contains(.combines),
      merge: { $0.merge(path, by: strategy) },
      differs: { !strategy.isEqual($0[keyPath: path], $1[keyPath: path]) },
      copy: { $1[keyPath: path] = $0[keyPath: path] })
  }

  /// A field about which somebody has to decide when both sides changed it.
  ///
  /// - Parameters:
  ///   - name: The name of the field; not blank.
  ///   - path: Where it is.
  /// - Returns: The rule.
  @inlinable
  public static func field<Value: Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable
  ) -> MergeRule {
    field(name, path, .conflict)
  }

  /// A field whose last write stands when both sides changed it, by a stamp elsewhere in the
  /// record.
  ///
  /// Give the stamp a rule of its own, such as `.field("stamp", \.stamp, .greatest)`.
  ///
  /// - Parameters:
  ///   - name: The name of the field; not blank.
  ///   - path: Where it is.
  ///   - stamp: When it was written; of the field, or of the whole record.
  /// - Returns: The rule.
  public static func field<Value: Equatable & Encodable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable,
    lastWriteBy stamp: any KeyPath<Record, HybridLogicalClock.Stamp> & Sendable
  ) -> MergeRule {
    MergeRule(
      name: name, isSymmetric: true, counts: false, combines: false, readsStamp: true,
      merge: { work in
        let (here, there) = (work.local[keyPath: stamp], work.remote[keyPath: stamp])
        let strategy = MergeStrategy<Value>(
          [.isSymmetric, .needsNoBase, .isExact], isEqual: ==,
          decide: { _, local, remote, findings in
            let winner = LastWrite.winner(local: local, at: here, remote: remote, at: there)
            return findings.pick(winner, local, remote)
          })
        work.merge(path, by: strategy)
      },
      differs: { $0[keyPath: path] != $1[keyPath: path] },
      copy: { $1[keyPath: path] = $0[keyPath: path] })
  }

  /// Fields that belong together, such as street and town: they are taken from one side as a whole.
  ///
  /// - Parameters:
  ///   - name: The name of the group; not blank.
  ///   - paths: Where its fields are.
  ///   - choice: What becomes of it when both sides changed any of them; the default is that
  ///     somebody has to decide.
  /// - Returns: The rule.
  public static func group<each Value: Equatable & Sendable>(
    _ name: String, _ paths: repeat any WritableKeyPath<Record, each Value> & Sendable,
    whenBothChanged choice: GroupChoice = .conflict
  ) -> MergeRule {
    let copy: @Sendable (Record, inout Record) -> Void = { source, target in
      for path in repeat each paths { target[keyPath: path] = source[keyPath: path] }
    }
    let differs: @Sendable (Record, Record) -> Bool = { left, right in
      for path in repeat each paths {
        if left[keyPath: path] != right[keyPath: path] { return true }
      }
      return false
    }
    return MergeRule(
      name: name, isSymmetric: choice == .conflict, counts: false, combines: false,
      merge: { work in
        let local = work.local
        let isEqual = !differs(local, work.remote)
        if !isEqual { copy(work.remote, &work.probe) }
        if isEqual, work.beganLocal { return }
        let strategy = MergeStrategy<Record>(
          .isExact, isEqual: { !differs($0, $1) },
          decide: { choice.pick($1, $2, &$3) })
        copy(
          strategy.merge(
            work.isBaseKnown ? .value(work.base) : .unknown, local, work.remote, &work.findings),
          &work.merged)
      },
      differs: differs, copy: copy)
  }
}

/// What becomes of a group of fields that both sides changed.
public enum GroupChoice: String, Sendable, Hashable, Codable, CaseIterable {
  /// Somebody has to decide.
  case conflict
  /// The other side's values stand, and a receipt says what was dropped.
  case preferRemote
  /// This side's values stand, and a receipt says what was dropped.
  case preferLocal

  func pick<Value>(_ local: Value, _ remote: Value, _ findings: inout MergeFindings) -> Value {
    switch self {
    case .conflict: return findings.chosen(.bothChanged, local, remote)
    case .preferRemote:
      findings.discard(.local, rawValue)
      return remote
    case .preferLocal:
      findings.discard(.remote, rawValue)
      return local
    }
  }
}
