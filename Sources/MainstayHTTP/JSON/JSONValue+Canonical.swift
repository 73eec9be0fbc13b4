// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension JSONValue {
  /// The same bytes for all documents that say the same, in whatever order their members stand.
  ///
  /// Numbers stay as they were written. Nil for what could lose something by that: two members of
  /// one name, texts that are no text, anything that is no JSON. Nil also for what is longer than
  /// 1,000,000 bytes, deeper than 64 levels, or has a number of more than 1,000 digits.
  ///
  /// - Parameter document: The document.
  /// - Returns: The bytes.
  package static func canonicalForm(of document: Data) -> Data? {
    let limits = Limits(repairsText: false)
    guard document.count <= limits.bytes else { return nil }
    var reader = JSONReader(Array(document), limits: limits, isLossless: true)
    do throws(ReadingError) {
      return try reader.document().encoded
    } catch _ {
      return nil
    }
  }
}
