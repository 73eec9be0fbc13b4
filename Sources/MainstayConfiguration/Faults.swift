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
    case DecodingError.keyNotFound(let key, let context):
      invented.insert(Self.path(context.codingPath + [key])).inserted
    case DecodingError.valueNotFound(_, let context):
      invented.insert(Self.path(context.codingPath)).inserted
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      hidden.insert(Self.path(context.codingPath)).inserted
    default: false
    }
  }

  /// Whether a value is taken as not set.
  func hide(_ path: [any CodingKey]) -> Bool {
    !hidden.isEmpty && hidden.contains(Self.path(path))
  }

  /// Something in the place of a value that is missing; nil where it is not known to be, or none
  /// can be made up.
  func invention<T>(of type: T.Type, at path: [any CodingKey]) -> T? {
    guard !invented.isEmpty, invented.contains(Self.path(path)) else { return nil }
    return switch type {
    case is String.Type: "" as? T
    case is Bool.Type: false as? T
    case let number as any LosslessStringConvertible.Type: number.init("0") as? T
    default: nil
    }
  }

  private static func path(_ keys: [any CodingKey]) -> [String] { keys.map(\.stringValue) }
}
