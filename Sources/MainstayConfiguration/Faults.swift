// SPDX-License-Identifier: Apache-2.0

/// The keys of settings whose values are known to be wrong or missing.
///
/// Settings are decoded once more without them, and so on, until nothing else is wrong: so all is
/// told at once, though decoding ends with the first mistake.
struct Faults {
  private var hidden: Set<[String]> = []
  private var invented: Set<[String]> = []

  /// Passes over a value from now on.
  ///
  /// - Returns: False where that was so already, and something else is wrong.
  mutating func add(_ error: any Error) -> Bool {
    switch error {
    // Where nothing could be made up, the whole group is passed over.
    case DecodingError.keyNotFound(let key, let context):
      invented.insert(Self.path(context.codingPath + [key])).inserted || pass(context.codingPath)
    case DecodingError.valueNotFound(_, let context):
      invented.insert(Self.path(context.codingPath)).inserted || pass(context.codingPath)
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      pass(context.codingPath)
    default: false
    }
  }

  /// Passes over all that is below a path; false where that was so already, and for the whole.
  private mutating func pass(_ path: [any CodingKey]) -> Bool {
    !path.isEmpty && hidden.insert(Self.path(path)).inserted
  }

  /// Whether a value is taken as not set.
  func hide(_ path: [any CodingKey]) -> Bool {
    guard !hidden.isEmpty, !path.isEmpty else { return false }
    let whole = Self.path(path)
    return (1...whole.count).contains { hidden.contains(Array(whole.prefix($0))) }
  }

  /// Something in the place of a value that is missing; nil where it is not known to be, or none
  /// can be made up.
  func invention<T>(of type: T.Type, at path: [any CodingKey]) -> T? {
    guard !invented.isEmpty, invented.contains(Self.path(path)) else { return nil }
    return Self.anything(of: type)
  }

  /// Something of a type; nil where none can be made up.
  static func anything<T>(of type: T.Type) -> T? {
    func first<C: CaseIterable>(_ words: C.Type) -> Any? { words.allCases.first }
    return switch type {
    case is String.Type: "" as? T
    case is Bool.Type: false as? T
    case let words as any CaseIterable.Type: first(words) as? T
    case let number as any LosslessStringConvertible.Type: number.init("0") as? T
    default: nil
    }
  }

  private static func path(_ keys: [any CodingKey]) -> [String] { keys.map(\.stringValue) }
}
