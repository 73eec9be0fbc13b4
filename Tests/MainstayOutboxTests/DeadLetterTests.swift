// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What an outbox says of what it has given up.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct DeadLetterTests {
  @Test func `a dead letter says that it is one, and when and why it was given up`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in throw AppError.test(.permanent) })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "gaveUp")
    let letter = try #require(try await outbox.deadLetter(id))
    #expect(letter.operation.state == .dead)
    let explained = try #require(try await outbox.explain(id))
    #expect(explained.state == .dead && explained.earliest == nil)
    #expect(
      explained.obstacles.map(\.description) == [
        """
        It was given up at 2027-01-15T08:00:00Z. It failed. The test says so. \
        Redrive or discard it.
        """
      ])
    #expect(try await outbox.discard(id))
    #expect(try await outbox.explain(id) == nil)
    await outbox.shutDown()
  }

  @Test func `what a service said of fields is kept with a dead letter, and can be translated`()
    async throws
  {
    let long = LocalizableText(verbatim: String(repeating: "é", count: 9_000))
    let address = "ada@example.com"
    let mistakes = [
      AppError.validation("“\(address)” is blocked.", field: "/email", code: "http.field"),
      AppError.validation(
        LocalizableText(key: "age", english: "You have to be \(13)."), suggestion: "Ask.",
        field: "/age"),
    ]
    let others = (0..<30).map { AppError.validation(long, field: JSONPointer(tokens: ["\($0)"])) }
    let refusal = AppError(
      code: "http.422", kind: .validation, disposition: .permanent,
      title: LocalizableText(key: "title", english: "Not accepted"), message: "It was refused.",
      details: "never kept", underlying: mistakes + others)
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in throw refusal })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "gaveUp")
    let note = try #require(try await outbox.deadLetter(id)?.operation.failure)
    #expect(note.message == "Not accepted. It was refused.")
    #expect(note.fields.count == FailureNote.maximumFields)
    #expect(note.fields[0].pointer == "/email" && note.fields[0].code == "http.field")
    #expect(!note.fields[0].message.description.contains("ada@"), "it is redacted")
    #expect(note.fields[1].message.key == "age")
    #expect(note.fields[1].message.arguments == [.integer(13)])
    #expect(note.fields.allSatisfy { $0.message.description.utf8.count <= 400 })
    let error = note.appError
    #expect(error.code == "http.422" && error.kind == .validation && error.details == nil)
    #expect(error.title.key == "title" && error.field == "/email")
    #expect(error.underlying.count == FailureNote.maximumFields)
    await outbox.shutDown()
  }

  @Test func `a note of a build that kept no texts is read, and shown in English`() throws {
    let old = Data(#"{"code": "http.422", "message": "No. It was refused."}"#.utf8)
    let note = try JSONDecoder().decode(FailureNote.self, from: old)
    #expect(note == FailureNote(code: "http.422", message: "No. It was refused."))
    #expect(note.fields.isEmpty && note.appError.message.description == note.message)
    #expect(note.appError.kind == .unknown)
    let full = FailureNote(AppError.validation("Taken.", field: "/email"))
    #expect(try JSONDecoder().decode(FailureNote.self, from: JSONEncoder().encode(full)) == full)
  }
}
