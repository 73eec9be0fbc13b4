// SPDX-License-Identifier: Apache-2.0

/// The statements that a session has prepared, by their text; the one unused for longest goes.
struct StatementCache {
  private var entries: [String: (name: String, lastUse: UInt64)] = [:]
  private var uses: UInt64 = 0
  private var names: UInt64 = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// The name of a statement that is prepared.
  mutating func name(of text: String) -> String? {
    guard let entry = entries[text] else { return nil }
    uses += 1
    entries[text] = (entry.name, uses)
    return entry.name
  }

  /// A name for a statement that is going to be prepared.
  mutating func newName() -> String {
    names += 1
    return "mainstay_\(names)"
  }

  /// A statement was prepared.
  ///
  /// - Returns: The name of one that has to go, so that there are not too many.
  mutating func add(_ text: String, name: String) -> String? {
    uses += 1
    entries[text] = (name, uses)
    guard entries.count > capacity,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    else { return nil }
    entries[oldest.key] = nil
    return oldest.value.name
  }

  mutating func remove(_ text: String) { entries[text] = nil }
}
