// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ReportStore {
  /// Something small that a service is told besides records: what was learned of a report that it
  /// has, or what was lost.
  ///
  /// A note is none of the records: no file, no ledger and no limit knows it. It is sent when no
  /// record is left to be sent, and once where nothing goes wrong.
  struct Note: Sendable {
    /// Of several with one name only the first one waits.
    var name: String?
    let contentType: String
    let category: String
    /// What is sent, made as late as possible; nil where there is nothing to say any more.
    let body: @Sendable () -> Data?
  }

  /// How many notes wait at most; the oldest leave.
  private static let noteCount = 16

  /// Tells a service something, when there is time.
  func tell(_ note: Note) {
    let isNew = guarded.withLock { guarded in
      guard !guarded.isShutDown, guarded.holds == 0 else { return false }
      guard note.name == nil || !guarded.notes.contains(where: { $0.name == note.name }) else {
        return false
      }
      guarded.notes.append(note)
      guarded.notes.removeFirst(max(0, guarded.notes.count - Self.noteCount))
      return true
    }
    if isNew { signal.set() }
  }

  /// What a request for a note is.
  struct NoteRequest: Sendable {
    let note: Note
    let request: Request
    /// How often all was dropped before.
    let discards: Int
  }

  enum NextNote: Sendable {
    case nothing
    case wait(Duration)
    case send(NoteRequest)
  }

  /// The next note that may be sent now; runs on the store's queue.
  func nextNote(now: Duration) -> NextNote {
    while true {
      let (next, note, discards) = guarded.withLock {
        guarded -> (ReportSendingStateMachine.Next, Note?, Int) in
        guard guarded.maySend, let note = guarded.notes.first else {
          return (.nothing, nil, 0)
        }
        // As if it were a record, so that the service's pauses hold for it too.
        let entry = ReportIndexStateMachine.Entry(
          number: .max, id: UUID(), birth: now, bytes: 0, severity: .debug,
          category: note.category, contentType: note.contentType)
        let next = guarded.sending.next([entry], now: now)
        if case .send = next { guarded.notes.removeFirst() }
        return (next, note, guarded.discards)
      }
      switch next {
      case .nothing: return .nothing
      case .wait(let pause): return .wait(pause)
      case .send:
        guard let note, let body = note.body() else { continue }
        let request = Request(body: body, headers: ["Content-Type": note.contentType], ids: [])
        return .send(NoteRequest(note: note, request: request, discards: discards))
      }
    }
  }

  /// A note was not taken: it is told again, as it was, unless all was dropped meanwhile.
  func putBack(_ sent: NoteRequest) {
    let body = sent.request.body
    let note = Note(
      name: nil, contentType: sent.note.contentType, category: sent.note.category,
      body: { body })
    guarded.withLock { guarded in
      guard sent.discards == guarded.discards, guarded.notes.count < Self.noteCount else { return }
      guarded.notes.insert(note, at: 0)
    }
  }
}
