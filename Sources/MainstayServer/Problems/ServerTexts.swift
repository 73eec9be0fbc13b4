// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// The translations of the texts of this library; English stands beside the errors.
package enum ServerTexts {
  /// The texts, which every catalogue finds once somebody has asked for this.
  package static let library = TextLibrary.joining(
    "server",
    texts: [
      "de": german, "es": spanish, "fr": french, "ja": japanese, "zh-Hans": simplifiedChinese,
    ])
}
