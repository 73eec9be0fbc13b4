// SPDX-License-Identifier: Apache-2.0

/// Cuts what an error, a server or a file says to a length, before it is kept.
///
/// What is redacted is cut afterwards: half an address is not known for what it is.
package enum BoundedText {
  /// A name, such as that of an operation.
  package static let name = 200
  /// A text of a sentence or two.
  package static let text = 2_000
  /// Technical details.
  package static let details = 8_000

  /// The text, cut between two characters of Unicode to at most so many bytes.
  package static func cut(_ text: String, to limit: Int) -> String {
    // Asked first: most texts are short, and their length is known without counting.
    guard text.utf8.count > limit else { return text }
    var bytes = Array(text.utf8.prefix(limit))
    // The start of the last character that may have been cut in two.
    if let start = bytes.lastIndex(where: { $0 & 0xc0 != 0x80 }), bytes[start] >= 0xc0 {
      let length = bytes[start] >= 0xf0 ? 4 : bytes[start] >= 0xe0 ? 3 : 2
      if start + length > bytes.count { bytes.removeSubrange(start...) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text without anybody's data, of at most so many bytes.
  package static func redacted(_ text: String, to limit: Int) -> String {
    Redaction.redact(text, first: limit)
  }

  /// At most so many values, those first by name, without anybody's data.
  static func redacted(_ values: [String: String], count: Int = 32) -> [String: String] {
    guard !values.isEmpty else { return [:] }
    // Sorting costs time, so of a huge dictionary only so many are looked at.
    let names = values.count > count ? values.keys.prefix(16 * count).sorted() : Array(values.keys)
    var result: [String: String] = [:]
    for key in names.prefix(count) {
      // A name of megabytes says by its ending what it is.
      let isSecret = SecretName(key.utf8.suffix(512)) != nil
      result[redacted(key, to: name)] =
        isSecret ? "<redacted>" : redacted(values[key] ?? "", to: text)
    }
    return result
  }
}

extension BoundedText {
  /// At most so many values, so that nothing is done with the others.
  static func bounded<Value>(_ values: [String: Value], count: Int = 512) -> [String: Value] {
    guard values.count > count else { return values }
    return Dictionary(uniqueKeysWithValues: values.prefix(count).map { ($0.key, $0.value) })
  }
}
