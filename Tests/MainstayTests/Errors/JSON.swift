// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a value as JSON and reads it again.
func throughJSON<T: Codable>(_ value: T) throws -> T {
  try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
}

/// Reads a value from JSON text.
func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}
