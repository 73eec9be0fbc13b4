// SPDX-License-Identifier: Apache-2.0

/// One thing that the demo's client asks for, under a key of its own.
package struct Action: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case scan(isbn: String)
    case edit(Edit)
    case delete
  }

  /// How often the client posts it.
  package enum Repetition: Sendable, Equatable, CaseIterable {
    /// Once, whatever comes of it.
    case never
    /// Until it is answered, always with the same key.
    case untilAnswered
    /// Once more after its answer, with the same key.
    case afterAnswer
  }

  /// The `Idempotency-Key`, by which the ledger is judged.
  package let key: String
  /// Which of the scanned things it is about, from 0.
  package let item: Int
  package let kind: Kind
  package let repetition: Repetition
  /// How long the client waits before it posts.
  package let pause: Duration

  package init(
    key: String, item: Int, kind: Kind, repetition: Repetition = .never, pause: Duration = .zero
  ) {
    self.key = key
    self.item = item
    self.kind = kind
    self.repetition = repetition
    self.pause = pause
  }
}

/// What an edit sets.
///
/// Its notes name its key, so that the last edit can be told at both sides.
package struct Edit: Sendable, Equatable, Encodable {
  package let notes: String
  /// Nil leaves it as it is.
  package let location: String?
  /// Nil leaves it as it is.
  package let quantity: Int?

  package init(notes: String, location: String? = nil, quantity: Int? = nil) {
    self.notes = notes
    self.location = location
    self.quantity = quantity
  }
}
