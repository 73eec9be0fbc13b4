// SPDX-License-Identifier: Apache-2.0

/// Errors that are objects, such as `NSError`.
enum ErrorObject {
  /// The object that an error is; nil for a value.
  ///
  /// An error that came through generic code may be wrapped once more. What a direct cast makes of
  /// that on Linux is a new object each time: the cast to `Any` and back takes the wrapping off.
  static func of(_ error: any Error) -> AnyObject? {
    guard type(of: error) is AnyClass, let plain = (error as Any) as? any Error else { return nil }
    return plain as AnyObject
  }
}
