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

/// What a person may send to whoever helps them: counts and codes, and no content of any item.
package struct DiagnosticsDocument: Sendable, Hashable, Codable {
  /// A dead letter without what it is about.
  package struct Letter: Sendable, Hashable, Codable {
    package let kind: String
    package let reason: String
    package let message: String
    package let attempts: Int
  }

  package let generatedAt: Timestamp
  package let status: StatusDocument
  package let errors: [ErrorGroup]
  package let deadLetters: [Letter]
  /// The outbox's own account: accepted, pending, dead, and receipts by kind and reason.
  package let receipts: [String: Int]
  /// What the outbox found when it was opened, in words.
  package let opening: [String]
}
