// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

extension Logger {
  /// Writes that runs of a kind fail from now on.
  func report(stalled kind: OperationKind, in lane: Lane, _ error: AppError) {
    notice(
      "Runs of a kind fail for want of the service: they are tried again",
      metadata: Self.metadata(kind, lane, error))
  }

  /// Writes that they have failed for long.
  func report(
    stalled kind: OperationKind, in lane: Lane, for age: Duration, pending: Int?, _ error: AppError
  ) {
    var metadata = Self.metadata(kind, lane, error)
    metadata["seconds"] = "\(Int(age.inSeconds))"
    if let pending { metadata["pending"] = "\(pending)" }
    warning("Runs of a kind have failed for long: what waits is not sent", metadata: metadata)
  }

  /// Writes that runs of a kind work again.
  func report(working kind: OperationKind, in lane: Lane, after time: Duration) {
    var metadata = Self.metadata(kind, lane)
    metadata["seconds"] = "\(Int(time.inSeconds))"
    notice("Runs of a kind work again", metadata: metadata)
  }

  private static func metadata(_ kind: OperationKind, _ lane: Lane) -> Metadata {
    [
      "mainstay.kind": "\(kind)",
      "lane": "\(Redaction.redact(lane.rawValue))",
    ]
  }

  private static func metadata(
    _ kind: OperationKind, _ lane: Lane, _ error: AppError
  ) -> Metadata {
    var metadata = metadata(kind, lane)
    metadata["error"] = "\(error.code)"
    metadata["message"] = "\(Redaction.redact(FailureNote(error).message))"
    return metadata
  }
}
