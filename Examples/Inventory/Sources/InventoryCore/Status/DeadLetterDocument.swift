// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Something that was given up, and waits for a person to redrive or discard it.
package struct DeadLetterDocument: Sendable, Hashable, Codable, Identifiable {
  package let id: UUID
  /// What was to be done, such as `sync-twin`.
  package let kind: String
  /// The item that it is about; nil where it cannot be read.
  package let item: UUID?
  /// The name of the reason, such as `refused`.
  package let reason: String
  /// The reason in words.
  package let message: String
  package let since: Timestamp
  package let attempts: Int

  init(_ letter: DeadLetter) {
    id = letter.id.uuid
    kind = letter.operation.type.kind.rawValue
    item = letter.operation.orderingKey.flatMap(UUID.init(uuidString:))
    reason = letter.reason.rawValue
    message = letter.message
    since = Timestamp(letter.since)
    attempts = letter.operation.attempts
  }

  private enum CodingKeys: String, CodingKey {
    case id, kind, item, reason, message, since, attempts
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.text, forKey: .id)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(item?.text, forKey: .item)
    try container.encode(reason, forKey: .reason)
    try container.encode(message, forKey: .message)
    try container.encode(since, forKey: .since)
    try container.encode(attempts, forKey: .attempts)
  }
}

/// A short notice for the person.
package struct ToastDocument: Sendable, Hashable, Codable {
  package enum Style: String, Sendable, Hashable, Codable, CaseIterable {
    case info, success, warning, error
  }

  package let style: Style
  package let title: String
  package let message: String
  /// The item that it is about, where it is about one.
  package let item: String?
}

/// A dead letter in the diagnostics: without what it is about.
struct DiagnosedLetter: Sendable, Encodable {
  let kind: String
  let reason: String
  let message: String
  let attempts: Int

  init(_ letter: DeadLetterDocument) {
    kind = letter.kind
    reason = letter.reason
    message = letter.message
    attempts = letter.attempts
  }
}
