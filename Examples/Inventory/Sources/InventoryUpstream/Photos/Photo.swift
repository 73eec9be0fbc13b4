// SPDX-License-Identifier: Apache-2.0

/// A photo that is complete.
package struct Photo: Sendable, Equatable, Codable {
  /// The id of the twin.
  package let twin: String

  /// Its content type.
  package let type: String

  /// Its bytes.
  package let size: Int
  package let bodyHash: BodyHash

  package init(twin: String, type: String, size: Int, bodyHash: BodyHash) {
    self.twin = twin
    self.type = type
    self.size = size
    self.bodyHash = bodyHash
  }
}

/// A photo that comes in parts.
struct Upload: Sendable, Equatable, Codable {
  /// The id of the twin.
  let twin: String

  /// The key that all its parts carry.
  let key: String
  let type: String

  /// The bytes that it will have.
  let total: Int
}

/// What one request brings of a photo.
struct PhotoPart: Sendable {
  let type: String
  let bytes: [UInt8]

  /// Where the bytes belong; nil when they are the whole photo.
  let range: ContentRange?

  /// The bytes of the whole photo.
  var total: Int { range?.total ?? bytes.count }

  /// Where its first byte belongs; nil when it brings none and only asks.
  var offset: Int? {
    guard let range else { return 0 }
    return range.bytes?.lowerBound
  }
}

/// How far an upload has come: the answer to a part that is not the last.
package struct UploadProgress: Sendable, Equatable, Codable {
  /// The id of the twin.
  package let twin: String

  /// How many bytes are here, from the first on.
  package let received: Int
  package let total: Int

  package init(twin: String, received: Int, total: Int) {
    self.twin = twin
    self.received = received
    self.total = total
  }
}
