// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Mainstay

/// One form in bytes for each value, so that all devices see the same bytes.
///
/// It is JSON with sorted keys. Sets, and dictionaries whose keys are neither texts nor integers,
/// have no such form: their order is chance. `MergeLaws` of MainstayOutboxTesting finds them.
package enum CanonicalForm {
  package static func bytes(of value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
  }

  package static func value<Value: Decodable>(
    _ type: Value.Type = Value.self, from bytes: Data
  ) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: bytes)
  }

  /// The SHA-256 of the form; of the value's description where it has no form.
  static func digest(of value: some Encodable) -> [UInt32] {
    let bytes = (try? bytes(of: value)).map(Array.init) ?? Array(String(reflecting: value).utf8)
    return SHA256.hash(bytes)
  }
}
