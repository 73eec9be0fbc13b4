// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// The file of an outbox in a folder of its own, and the program on it.
struct OutboxFolder {
  struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  let folder: URL
  var url: URL { folder.appending(path: "outbox.sqlite") }
  var file: String { url.path(percentEncoded: false) }

  init() {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "mainstay-cli-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  /// Runs `mainstay outbox`.
  static func run(_ arguments: [String]) async throws -> BuiltProgram.End {
    try await BuiltProgram.run("mainstay", ["outbox"] + arguments, environment: [:])
  }

  /// What it prints, with its complaints where it does not end well.
  func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
    let end = try await Self.run(arguments)
    #expect(end.status == status, "\(end.output)\(end.errors)")
    return status == 0 ? end.output : end.output + end.errors
  }

  /// What it prints as a document, whatever its end is.
  func document(_ arguments: String...) async throws -> [String: Any] {
    let end = try await Self.run(arguments + ["--json"])
    let value = try JSONSerialization.jsonObject(with: Data(end.output.utf8))
    return try #require(value as? [String: Any], "\(end.output)\(end.errors)")
  }

  /// What it lists with these options.
  func list(_ arguments: String...) async throws -> (operations: [[String: Any]], isMore: Bool) {
    let end = try await Self.run(["list", "--json", file] + arguments)
    let value = try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [String: Any]
    return (
      try #require(value?["operations"] as? [[String: Any]], "\(end.output)\(end.errors)"),
      try #require(value?["isMore"] as? Bool)
    )
  }

  /// An outbox that refuses the notes `bad`.
  func open() async throws -> Outbox {
    try await Outbox(at: url) {
      Worker(for: Note.self) { note, _ in
        guard note.text == "bad" else { return }
        throw AppError(
          code: "note.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: "The service does not take it.")
      }
    }
  }

  /// An operation that was given up.
  func enqueueBad(_ outbox: Outbox) async throws -> OperationID {
    let before = try await outbox.snapshot().dead
    let id = try await outbox.enqueue(Note(text: "bad"))
    for await snapshot in outbox.changes where snapshot.dead > before { break }
    return id
  }

  /// An operation that waits for tomorrow.
  func enqueueLate(_ outbox: Outbox) async throws -> OperationID {
    try await outbox.enqueue(
      Note(text: "late"), options: EnqueueOptions(delay: .seconds(86_400)))
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }
}
