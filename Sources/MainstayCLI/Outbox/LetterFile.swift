// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Foundation
import Mainstay
import MainstayOutbox

/// A new file of JSON lines with dead letters that are about to be discarded.
///
/// Payloads may hold people's data, so the file is for its owner alone.
final class LetterFile {
  /// A dead letter as it stands in the file.
  private struct Line: Encodable {
    let version = 1
    let operation: ShownOperation
    let idempotencyKey: String
    let since: Date
    /// Whether only the app can read the payload.
    let isSealed: Bool
    /// The payload where it is text, as JSON is.
    let payload: String?
    let payloadBase64: String?

    init(_ letter: DeadLetter, _ standing: Standing) {
      operation = ShownOperation(letter.operation, standing, letter: letter)
      idempotencyKey = letter.operation.idempotencyKey.rawValue
      since = letter.since
      isSealed = letter.operation.isSealed
      let data = letter.operation.payload
      let text = String(decoding: data, as: UTF8.self)
      let isText = Data(text.utf8) == data
      payload = isText ? text : nil
      payloadBase64 = isText ? nil : data.base64EncodedString()
    }
  }

  private let path: String
  private let descriptor: Int32

  /// - Throws: ``CommandFailure`` where the file is there already, or cannot be made.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(ExportCommand.reason(.latest, for: path)) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes those of some dead letters that are there; they are on the disk when it returns.
  func write(_ ids: [OperationID], of store: any InspectableStore) async throws {
    let standing = try await Standing(in: store)
    for id in ids {
      guard let letter = try await store.deadLetter(id) else { continue }
      let line = try Format.jsonLine(Line(letter, standing))
      if let code = WholeWrite.failure(writing: Array(line.utf8)[...], to: descriptor) {
        throw failure(POSIXError.words(code))
      }
    }
    if let code = WholeWrite.failure(forcing: descriptor) { throw failure(POSIXError.words(code)) }
  }

  private func failure(_ reason: String) -> CommandFailure {
    CommandFailure(status: .couldNotRun, message: "\(path) cannot be written: \(reason).")
  }
}
