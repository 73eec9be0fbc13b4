// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

extension Logger {
  /// Writes that an operation was given up, without its payload and what it is ordered by.
  func report(
    givenUp id: OperationID?, _ kind: String, _ reason: DeadLetter.Reason, _ error: AppError?
  ) {
    var metadata: Logger.Metadata = ["mainstay.kind": "\(kind)", "reason": "\(reason)"]
    if let id { metadata["mainstay.operation"] = "\(id)" }
    if let error {
      metadata["error"] = "\(error.code)"
      metadata["message"] = "\(Redaction.redact(FailureNote(error).message))"
    }
    self.error("An operation was given up: it is a dead letter", metadata: metadata)
  }
}
