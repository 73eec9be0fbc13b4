// SPDX-License-Identifier: Apache-2.0

/// The run could not be made, which says nothing about the app's conditions.
package struct DemoFailure: Error, CustomStringConvertible {
  /// What happened and what to do, as sentences.
  package let description: String

  init(_ description: String) { self.description = description }
}
