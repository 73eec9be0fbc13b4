// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension AppError {
  /// Whether the request may have reached the service; false only where that is certain.
  ///
  /// What must not be sent twice has an unknown outcome where this is true: the mappings of
  /// `ErrorMapping.addingHTTPErrors()` and its like cannot say so themselves, since an
  /// error does not know its request. See `with(disposition:)`.
  public var mayHaveBeenSent: Bool { metadata["http.sent"] != "no" }
}
