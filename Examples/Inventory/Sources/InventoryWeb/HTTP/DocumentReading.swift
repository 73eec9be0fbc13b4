// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Reads small documents, and says which member is wrong.
enum DocumentReading {
  static func read<Document: Decodable>(
    _ type: Document.Type, _ bytes: Data
  ) throws(AppError) -> Document {
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch let error as DecodingError {
      throw problem(error)
    } catch {
      throw AppError.from(error)
    }
  }

  private static func problem(_ error: DecodingError) -> AppError {
    switch error {
    case .keyNotFound(let key, _):
      .validation("\(key.stringValue) is needed.", field: JSONPointer(tokens: [key.stringValue]))
    case .typeMismatch(_, let context) where !context.codingPath.isEmpty,
      .valueNotFound(_, let context) where !context.codingPath.isEmpty:
      .validation(
        "\(context.codingPath.map(\.stringValue).joined(separator: ".")) has the wrong type.",
        field: JSONPointer(tokens: context.codingPath.map(\.stringValue)))
    default:
      .validation(
        "The body must be a JSON object.", field: "", code: "inventory.malformed-json")
    }
  }
}
