// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

extension Logger {
  /// Writes that nothing of a lane runs until somebody has signed in.
  func report(closed lane: Lane, _ kind: OperationKind, _ error: AppError?) {
    var metadata: Logger.Metadata = [
      "lane": "\(Redaction.redact(lane.rawValue))", "mainstay.kind": "\(kind)",
    ]
    if let error {
      metadata["error"] = "\(error.code)"
      metadata["message"] = "\(Redaction.redact(FailureNote(error).message))"
    }
    warning(
      "A lane waits until somebody has signed in, or done what is asked for", metadata: metadata)
  }

  /// Writes that a lane goes on.
  func report(opened lane: Lane) {
    notice(
      "A lane goes on that waited for a person",
      metadata: ["lane": "\(Redaction.redact(lane.rawValue))"])
  }
}
