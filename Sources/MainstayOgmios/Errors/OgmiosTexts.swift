// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// The translations of the texts of this library; English stands beside the errors.
///
/// A text of a number has a key of its own, such as `error.ogmios.3005.title`. What its topic says
/// is written once in each language, as `topic.era`, and found there for all numbers of the topic.
package enum OgmiosTexts {
  /// The texts, which every catalogue finds once somebody has asked for this.
  package static let library = TextLibrary.joining(
    "ogmios",
    texts: [
      "de": german, "es": spanish, "fr": french, "ja": japanese, "zh-Hans": simplifiedChinese,
    ],
    sharing: Dictionary(
      OgmiosErrorCatalog.all.map { (number(Int64($0.code)), "topic." + $0.topic.name) }
    ) { $1 })

  /// Makes errors that were recorded earlier readable in all languages.
  static func join() { _ = library }

  /// The code of the error with a number.
  static func code(of number: Int64) -> String { "ogmios." + self.number(number) }

  private static func number(_ number: Int64) -> String {
    number < 0 ? "minus-\(number.magnitude)" : String(number)
  }
}
