// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// Settings that come from outside: from JSON to an outbox, or to a list of everything wrong.
@Suite(.requirement("P10", "T8"), .ends(withinMinutes: 5)) struct OutboxConfigurationTests {
  private func decode(_ json: String) throws -> Outbox.Configuration {
    try JSONDecoder().decode(Outbox.Configuration.self, from: Data(json.utf8))
  }

  @Test func `everything that is wrong is said at once, before anything is opened`() async throws {
    let folder = try TemporaryFolder()
    let settings = try decode(
      #"{"maximumConcurrency": 0, "maximumPending": -1, "maximumPayloadBytes": 0}"#)
    let error = await #expect(throws: ConfigurationError.self) {
      try await Outbox(at: folder.database, validating: settings) {}
    }
    #expect(error?.subject == "Outbox")
    #expect(
      error?.violations.map(\.description) == [
        "maximumConcurrency: 0 is not legal: it must be 1 or more",
        "maximumPending: -1 is not legal: it must be 1 or more, or nil for any number",
        "maximumPayloadBytes: 0 is not legal: it must be 1 or more",
      ])
    #expect(!FileManager.default.fileExists(atPath: folder.database.path))
  }

  @Test func `so it is for an outbox on a store of another kind`() async throws {
    let settings = try decode(#"{"maximumConcurrency": 0}"#)
    let error = await #expect(throws: ConfigurationError.self) {
      try await Outbox(store: InMemoryStore(), validating: settings) {}
    }
    #expect(error?.violations.map(\.option) == ["maximumConcurrency"])
    #expect(throws: ConfigurationError.self) { try settings.validate() }
    try Outbox.Configuration().validate()
  }

  @Test func `missing keys get their defaults, and null takes any number`() throws {
    let defaults = Outbox.Configuration()
    let empty = try decode("{}")
    #expect(empty.maximumConcurrency == defaults.maximumConcurrency)
    #expect(empty.maximumPending == defaults.maximumPending)
    #expect(empty.maximumPayloadBytes == defaults.maximumPayloadBytes)
    #expect(!empty.startsPaused)
    #expect(try decode(#"{"maximumPending": null}"#).maximumPending == nil)
    #expect(throws: DecodingError.self) { try decode(#"{"maximumPending": "many"}"#) }
  }

  @Test func `settings survive JSON`() throws {
    var settings = Outbox.Configuration()
    settings.maximumConcurrency = 7
    settings.maximumPending = nil
    settings.maximumPayloadBytes = 10
    settings.startsPaused = true
    let again = try JSONDecoder().decode(
      Outbox.Configuration.self, from: JSONEncoder().encode(settings))
    #expect(again.maximumConcurrency == 7 && again.maximumPending == nil)
    #expect(again.maximumPayloadBytes == 10 && again.startsPaused)
  }

  @Test func `an outbox goes by its settings`() async throws {
    let folder = try TemporaryFolder()
    let settings = try decode(#"{"maximumPending": 1, "startsPaused": true}"#)
    let outbox = try await Outbox(at: folder.database, validating: settings) {
      Worker(for: Note.self) { _, _ in }
    }
    try await outbox.enqueue(Note(text: "a"))
    await #expect(throws: OutboxError(.full, details: "")) {
      try await outbox.enqueue(Note(text: "b"))
    }
    await outbox.shutDown()
  }

  @Test func `settings in the code that are not legal stop the program, with a reason`()
    async throws
  {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var settings = Outbox.Configuration()
        settings.maximumConcurrency = 0
        _ = try await Outbox(store: InMemoryStore(), configuration: settings) {}
      })
    #if DEBUG
      let text = String(decoding: result.standardErrorContent, as: UTF8.self)
      #expect(text.contains("maximumConcurrency: 0 is not legal: it must be 1 or more"))
    #else
      #expect(result.exitStatus != .exitCode(0))  // a release build keeps no words
    #endif
  }
}
