// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How documents are written and read.
enum JSON {
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  static func decoder() -> JSONDecoder { JSONDecoder() }

  /// Reads the body of a request.
  ///
  /// - Throws: `Problem` that says what is wrong, member by member.
  static func decode<Document: Decodable>(
    _ type: Document.Type, from bytes: some Sequence<UInt8>
  ) throws(Problem) -> Document {
    do {
      return try decoder().decode(type, from: Data(bytes))
    } catch let invalid as InvalidMembers {
      throw .invalid(invalid.errors)
    } catch DecodingError.typeMismatch {
      throw .malformed("An object is needed.")
    } catch DecodingError.dataCorrupted(let context) {
      throw .malformed(reason(context))
    } catch {
      // mainstay:ignore MS205 -- a client is told no more
      throw .malformed("It could not be read.")
    }
  }

  private static func reason(_ context: DecodingError.Context) -> String {
    guard let underlying = context.underlyingError as? NSError,
      let reason = underlying.userInfo[NSDebugDescriptionErrorKey] as? String
    else { return context.debugDescription }
    return reason
  }
}
