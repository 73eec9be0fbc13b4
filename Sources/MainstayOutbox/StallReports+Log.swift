// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

extension Logger {
  /// Writes that runs of a lane fail from now on.
  func report(stalled lane: Lane, _ error: AppError) {
    notice(
      "Runs of a lane fail for want of the service: they are tried again",
      metadata: Self.metadata(lane, error))
  }

  /// Writes that they have failed for long.
  func report(stalled lane: Lane, for age: Duration, pending: Int?, _ error: AppError) {
    var metadata = Self.metadata(lane, error)
    metadata["seconds"] = "\(Int(age.inSeconds))"
    if let pending { metadata["pending"] = "\(pending)" }
    warning("Runs of a lane have failed for long: what waits is not sent", metadata: metadata)
  }

  /// Writes that runs of a lane work again.
  func report(working lane: Lane, after time: Duration) {
    notice(
      "Runs of a lane work again",
      metadata: [
        "lane": "\(Redaction.redact(lane.rawValue))", "seconds": "\(Int(time.inSeconds))",
      ])
  }

  private static func metadata(_ lane: Lane, _ error: AppError) -> Metadata {
    [
      "lane": "\(Redaction.redact(lane.rawValue))", "error": "\(error.code)",
      "message": "\(Redaction.redact(FailureNote(error).message))",
    ]
  }
}
