// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// An absolute address as it is sent, which is taken apart only where somebody asks for its parts:
/// that costs as much as all else that is done for a request together.
package struct WireAddress: Sendable {
  /// The address as text.
  package let text: String

  private let known: URL
  private let isParsed: Bool

  /// An address that is one already.
  init(_ url: URL) {
    text = url.absoluteString
    known = url
    isParsed = true
  }

  /// An address that lies below another one.
  ///
  /// - Parameters:
  ///   - text: The address, which is known to be one.
  ///   - base: The one that it lies below.
  init(_ text: String, below base: URL) {
    self.text = text
    known = base
    isParsed = false
  }

  /// The address in its parts.
  var url: URL { isParsed ? known : URL(string: text) ?? known }
}
