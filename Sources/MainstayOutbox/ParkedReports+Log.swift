// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

extension Logger {
  /// Writes that operations were set aside, since no worker reads them.
  func report(parked count: Int, of type: PayloadType) {
    warning(
      "Operations are parked: no worker reads their kind and version",
      metadata: type.metadata.merging(["count": "\(count)"]) { $1 })
  }

  /// Writes that an operation was set aside, since its payload cannot be read.
  func report(parked operation: StoredOperation, _ error: AppError) {
    var metadata = operation.type.metadata
    metadata["mainstay.operation"] = "\(operation.id)"
    if let cause = error.underlying.first { metadata["cause"] = "\(Self.words(of: cause))" }
    warning("An operation is parked: its payload can’t be read", metadata: metadata)
  }

  /// What is wrong, and where, without what stands there.
  private static func words(of cause: any Error) -> String {
    if let nested = cause as? UnreadablePayload { return words(of: nested.cause) }
    guard let error = cause as? DecodingError else { return "\(type(of: cause))" }
    // Keys on the way may be somebody's data, such as addresses.
    return Redaction.redact(AppError.decoding(error).details ?? "\(type(of: cause))")
  }
}

extension PayloadType {
  fileprivate var metadata: Logger.Metadata {
    ["mainstay.kind": "\(kind)", "version": "\(version)"]
  }
}
