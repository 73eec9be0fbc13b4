// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which way letters are written (Unicode UAX 9).
enum TextDirection: Sendable {
  case leftToRight, rightToLeft

  /// The direction of a letter; nil for digits, marks and everything else that goes along with what
  /// is around it.
  init?(_ scalar: Unicode.Scalar) {
    guard scalar.properties.isAlphabetic else { return nil }
    switch scalar.value {
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
      self = .rightToLeft
    default: self = .leftToRight
    }
  }

  /// The direction of a wording: that of its first letter, else of the reader's language.
  init(of wording: String, in locale: Locale) {
    let first = wording.unicodeScalars.lazy.compactMap { TextDirection($0) }.first
    let isReversed = locale.language.characterDirection == .rightToLeft
    self = first ?? (isReversed ? .rightToLeft : .leftToRight)
  }

  /// A text that stands in a wording of this direction, in isolates where it would turn round what
  /// is beside it.
  ///
  /// A Hebrew name takes the comma and the number after it along, and in Arabic the groups of a
  /// phone number change places.
  func keepingTogether(_ text: String) -> String {
    let isOther = text.unicodeScalars.contains { scalar in
      switch self {
      case .leftToRight: TextDirection(scalar) == .rightToLeft
      case .rightToLeft:
        TextDirection(scalar) == .leftToRight || scalar.properties.numericType != nil
      }
    }
    return isOther ? "\u{2068}\(text)\u{2069}" : text
  }
}
