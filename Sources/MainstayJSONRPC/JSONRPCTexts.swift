// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// The translations of the texts of this library; English stands beside the errors.
package enum JSONRPCTexts {
  /// The texts, which every catalogue finds once somebody has asked for this.
  package static let library = TextLibrary.joining(
    "jsonrpc",
    texts: [
      "de": german, "es": spanish, "fr": french, "ja": japanese, "zh-Hans": simplifiedChinese,
    ])

  /// Makes errors that were recorded earlier readable in all languages.
  static func join() { _ = library }
}
