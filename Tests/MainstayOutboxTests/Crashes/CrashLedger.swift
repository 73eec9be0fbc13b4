// SPDX-License-Identifier: Apache-2.0

/// The other side of the child that is killed: what that wanted, what was accepted, and what was
/// applied, each in the order in which it was heard of.
struct CrashLedger: Sendable {
  /// A change of an item.
  struct Change: Sendable, Hashable {
    let key: String
    let item: Int
    let sequence: Int

    init?(_ words: ArraySlice<String>) {
      guard let key = words.first, let last = words.last,
        let item = words.dropFirst().first.flatMap({ Int($0) }), let sequence = Int(last)
      else { return nil }
      (self.key, self.item, self.sequence) = (key, item, sequence)
    }
  }

  /// How many items there are.
  static let items = 8

  private(set) var intended: [Change] = []
  private(set) var accepted: [Change] = []
  /// One that was applied twice stands here twice, unless repetitions are known by their keys.
  private(set) var applied: [Change] = []
  /// What was not understood.
  private(set) var unknown: [[String]] = []
  private let knowsRepetitions: Bool
  private var keys: Set<String> = []

  /// Makes an empty one.
  ///
  /// - Parameter knowsRepetitions: Whether it applies a change once, however often it is asked to.
  init(knowsRepetitions: Bool) { self.knowsRepetitions = knowsRepetitions }

  /// The next number of each item.
  var next: [Int] { (0..<Self.items).map { item in intended.count { $0.item == item } } }

  /// Hears something, and does what it is asked to.
  ///
  /// - Parameter words: What was said.
  /// - Returns: The answer; nil where nobody waits for one.
  mutating func heard(_ words: [String]) -> String? {
    switch words.first {
    case "step": return nil
    case "intended":
      if let change = Change(words.dropFirst()) { intended.append(change) }
      return nil
    case "accepted":
      if let change = Change(words.dropFirst()) { accepted.append(change) }
      return nil
    case "apply" where words.count > 1:
      if let change = Change(words.dropFirst(2)) { apply(change) }
      return "\(words[1]) yes"
    case "knows" where words.count > 2:
      return "\(words[1]) \(keys.contains(words[2]) ? "yes" : "no")"
    case "end" where words.count > 1: return "\(words[1]) yes"
    default:
      unknown.append(words)
      return nil
    }
  }

  private mutating func apply(_ change: Change) {
    let isNew = keys.insert(change.key).inserted
    if isNew || !knowsRepetitions { applied.append(change) }
  }
}
