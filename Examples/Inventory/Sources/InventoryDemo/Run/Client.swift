// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Somebody who scans, edits and deletes, and writes down what comes back.
struct Client: Sendable {
  let app: AppUnderTest
  let recorder: Recorder

  /// Does one action after the other.
  func play(_ actions: [Action]) async throws {
    for action in actions {
      try await Task.sleep(for: action.pause)
      try await play(action)
      recorder.finish()
    }
  }

  private func play(_ action: Action) async throws {
    // Who never learned what a scan became has nothing to edit.
    guard let request = try request(for: action) else { return }
    var isRepeated = false
    while true {
      let turn = app.turn
      recorder.begin()
      let outcome = await outcome(action, request, turn)
      recorder.add(Post(action, outcome))
      switch (outcome, action.repetition) {
      case (.unanswered, .never): return
      case (.unanswered, _): try await untilRunning()
      case (.accepted, .afterAnswer) where !isRepeated: isRepeated = true
      default: return
      }
    }
  }

  private func outcome(
    _ action: Action, _ request: (method: String, path: String, body: Data?), _ turn: Int
  ) async -> Post.Outcome {
    do {
      let answer = try await app.wire.send(
        request.method, request.path, request.body, key: action.key)
      guard answer.status == 202 else { return .refused(status: answer.status) }
      return .accepted(id: try answer.document(Identified.self).id)
    } catch {
      let hasRun = AppUnderTest.isRunning(in: turn) && app.turn == turn
      return hasRun ? .failed("\(error)") : .unanswered
    }
  }

  private func request(
    for action: Action
  ) throws -> (method: String, path: String, body: Data?)? {
    if case .scan(let isbn) = action.kind {
      return ("POST", "/api/scans", try JSONEncoder().encode(["barcode": isbn]))
    }
    guard let id = recorder.id(of: action.item) else { return nil }
    let path = "/api/items/\(id)"
    return switch action.kind {
    case .edit(let edit): ("PATCH", path, try JSONEncoder().encode(edit))
    default: ("DELETE", path, nil)
    }
  }

  private func untilRunning() async throws {
    while !AppUnderTest.isRunning(in: app.turn) { try await Task.sleep(for: .milliseconds(5)) }
  }
}

/// Anything with an id.
private struct Identified: Decodable {
  let id: String
}
