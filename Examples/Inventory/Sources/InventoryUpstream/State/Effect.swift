// SPDX-License-Identifier: Apache-2.0

/// What a write did: the answer of `GET /effects/{key}`, and what its repetition is answered with.
package struct Effect: Sendable, Equatable, Codable {
  package enum Operation: String, Sendable, Codable {
    case put
    case delete
    case photo
  }

  /// The `Idempotency-Key` that it came with.
  package let key: String
  package let operation: Operation

  /// The id of the twin.
  package let twin: String

  /// The twin's version after it.
  package let version: Int

  /// The status that it was answered with.
  package let status: Int
  package let bodyHash: BodyHash
  package let appliedAt: Timestamp

  /// The twin or tombstone that it left; nil for a photo.
  package let document: Twin?

  /// What was stored; nil for anything but a photo.
  package let photo: Photo?
}

/// A write on its way: what it asks for, and under which key.
struct Write: Sendable {
  enum Change: Sendable {
    case put(TwinFields, Precondition)
    case delete(Precondition)
    case photo(PhotoPart)
  }

  let key: String
  let twin: String
  let change: Change
  let bodyHash: BodyHash

  /// Whether the key is looked at before the write is made.
  let isDeduped: Bool

  /// Whether this is what an effect came from, sent again.
  func isSame(as effect: Effect) -> Bool {
    guard effect.twin == twin else { return false }
    switch change {
    case .put: return effect.operation == .put && effect.bodyHash == bodyHash
    case .delete: return effect.operation == .delete && effect.bodyHash == bodyHash
    case .photo(let part):
      // A part cannot be compared with the whole, so its announcement must do.
      let isWhole = part.range == nil
      return effect.photo?.size == part.total && effect.photo?.type == part.type
        && (!isWhole || effect.bodyHash == bodyHash)
    }
  }
}
