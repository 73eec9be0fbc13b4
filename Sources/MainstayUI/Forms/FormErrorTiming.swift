// SPDX-License-Identifier: Apache-2.0

/// When a form begins to show the mistakes in a field.
///
/// From the moment that a form was sent, all are shown. What a service said is shown at once.
public enum FormErrorTiming: String, Sendable, Hashable, Codable, CaseIterable {
  /// With the first key: for forms with one field, such as a code.
  case edited
  /// Once the person has left the field, and from then on with every key.
  case left
  /// Only after sending.
  case submitted
}
