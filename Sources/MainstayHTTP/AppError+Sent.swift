// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension AppError {
  /// Whether the request may have reached the service; false only where that is certain.
  ///
  /// It is certain where a client says so, and where a policy or a queue of the app refused. It is,
  /// too, where what was entered was not accepted, found no room or could not be encoded. A request
  /// whose sign-in was refused counts as not sent where no other sign-in could be had.
  ///
  /// What must not be sent twice has an unknown outcome where this is true: the mappings of
  /// `ErrorMapping.addingHTTPErrors()` and its like cannot say so themselves, since an
  /// error does not know its request. See `with(disposition:)`.
  public var mayHaveBeenSent: Bool {
    if let sent = metadata["http.sent"] { return sent != "no" }
    guard httpStatus == nil else { return true }
    // What stands for the error that a call ended with says what that one says.
    if metadata["policy.reason"] == Rejection.Reason.foreignError.rawValue {
      return (underlying.first as? AppError)?.mayHaveBeenSent ?? true
    }
    if case .rejected = disposition { return false }
    return disposition == .unknownOutcome || !Self.beforeSending.contains(kind)
  }

  /// This failure of a request of whose body so many bytes have left.
  ///
  /// Some numbers of URLSession say that there is no connection, and end one that was there.
  package func afterSending(_ bytes: Int64) -> AppError {
    guard bytes > 0, metadata["http.sent"] == "no" else { return self }
    return adding(metadata: ["http.sent": "maybe"])
  }

  /// What happens on the device, before a request is made.
  private static let beforeSending: Set<ErrorKind> = [
    .rejected, .validation, .encoding, .storageFull,
  ]

  /// Whether an exchange that was begun and failed may have reached the service: nothing but its
  /// transport knows.
  var mayHaveArrived: Bool { metadata["http.sent"] != "no" }
}
