// SPDX-License-Identifier: Apache-2.0

/// How often somebody or something tried to recover from errors of each code, and how often that
/// worked.
///
/// Kept by code and not by group, since errors of several codes may share a group and errors of one
/// code may lie in several.
struct RecoveryBook<Code: Hashable & Sendable>: Sendable {
  /// The attempts.
  struct Row: Sendable, Equatable {
    var attempts = 0
    var successes = 0

    /// The part of them that worked; nil without any.
    var rate: Double? { attempts == 0 ? nil : Double(successes) / Double(attempts) }

    fileprivate mutating func add(_ succeeded: Bool) {
      attempts += 1
      if succeeded { successes += 1 }
    }
  }

  private let capacity: Int
  private var rows: [Code: Row] = [:]
  /// All codes for which there was no room.
  private(set) var others = Row()

  /// Makes an empty book; a capacity below 1 becomes 1.
  init(capacity: Int = 500) { self.capacity = max(1, capacity) }

  /// How many codes are told apart.
  var count: Int { rows.count }

  mutating func add(_ code: Code, succeeded: Bool) {
    if rows[code] != nil || rows.count < capacity {
      rows[code, default: Row()].add(succeeded)
    } else {
      others.add(succeeded)
    }
  }

  /// The attempts of a code; empty where there was no room for it.
  subscript(code: Code) -> Row { rows[code] ?? Row() }
}
