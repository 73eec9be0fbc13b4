// SPDX-License-Identifier: Apache-2.0

internal import MainstayHTTP

extension JSONValue {
  /// A whole number of 64 bits without a sign.
  static func natural(_ value: UInt64) -> JSONValue {
    Number(String(value)).map(JSONValue.number) ?? .null
  }

  static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
