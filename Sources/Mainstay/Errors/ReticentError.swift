// SPDX-License-Identifier: Apache-2.0

/// An error whose own texts say what must not be kept, such as a statement with its values.
///
/// They are neither shown nor recorded; what is recorded stands here.
package protocol ReticentError: Error {
  /// What may be kept of it; empty for nothing but its type and code.
  var recordedText: String { get }
}
