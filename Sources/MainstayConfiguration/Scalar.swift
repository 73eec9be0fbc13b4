// SPDX-License-Identifier: Apache-2.0

import Configuration

/// One value of a snapshot, which its provider may hold as a text, a number or a truth value.
struct Scalar {
  let snapshot: ConfigSnapshotReader
  let key: String
  /// Whether it is known to be wrong, and so passed over.
  let isHidden: Bool

  private var configKey: ConfigKey { ConfigKey([key]) }

  /// The value as a text, whatever it is; nil where there is none.
  ///
  /// A provider answers for the type that it holds alone, and some hold all as texts.
  var text: String? {
    if isHidden { return nil }
    if let text = snapshot.string(forKey: configKey) { return text }
    if let number = snapshot.int(forKey: configKey) { return String(number) }
    if let number = snapshot.double(forKey: configKey) { return String(number) }
    return snapshot.bool(forKey: configKey).map { String($0) }
  }

  var isThere: Bool { text != nil }

  /// Whether the value says that there is none, which no provider can say otherwise.
  var isNull: Bool { !isHidden && snapshot.string(forKey: configKey) == "null" }

  /// The value as one of the types that providers know; nil where it is none of that type.
  func value<T>(as type: T.Type) -> T? {
    switch type {
    case is String.Type: snapshot.string(forKey: configKey) as? T
    case is Bool.Type: snapshot.bool(forKey: configKey) as? T
    case is Double.Type: double as? T
    case is Int.Type: snapshot.int(forKey: configKey) as? T
    default: (type as? any LosslessStringConvertible.Type).flatMap { made($0) } as? T
    }
  }

  /// A whole number is a number of seconds, too.
  private var double: Double? {
    snapshot.double(forKey: configKey) ?? snapshot.int(forKey: configKey).map { Double($0) }
  }

  private func made(_ type: any LosslessStringConvertible.Type) -> Any? {
    text.flatMap { type.init($0) }
  }

  /// The value, checked to be of a type.
  ///
  /// - Throws: `DecodingError` where there is none, or one of another type.
  func decode<T>(_ type: T.Type, at path: [any CodingKey]) throws -> T {
    if !isHidden, let value = value(as: type) { return value }
    guard let text else {
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: path, debugDescription: "it must be set"))
    }
    throw DecodingError.typeMismatch(
      type,
      DecodingError.Context(
        codingPath: path, debugDescription: Self.rule(for: type),
        underlyingError: UnfitText(text: text)))
  }

  private static func rule(for type: Any.Type) -> String {
    switch type {
    case is Bool.Type: "it must be true or false"
    case is any BinaryInteger.Type: "it must be a whole number"
    case is any BinaryFloatingPoint.Type: "it must be a number"
    default: "it must be a text"
    }
  }
}

/// The text of a value that is not what it has to be.
struct UnfitText: Error {
  let text: String
  /// What reading it failed with; nil where the type alone is wrong.
  var cause: (any Error)?
}
