// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// The language of an answer.
enum Language {
  /// The most ranges of languages that are looked at.
  private static let maximumRanges = 20

  /// The first language of `Accept-Language` that the catalogue has; English without one.
  ///
  /// Source: RFC 9110, section 12.5.4; ranges are matched as by RFC 4647, section 3.4, and Chinese
  /// of a region also by the script that is written there.
  static func locale(for header: String?) -> Locale {
    let known = TextCatalog.current.languages
    let tag = ranges(of: header ?? "").lazy.compactMap { range in
      range == "*" ? "en" : nearest(to: range, in: known)
    }.first
    return Locale(identifier: tag ?? "en")
  }

  /// The tag of a locale, as `Content-Language` says it.
  static func tag(of locale: Locale) -> String {
    locale.identifier.replacingOccurrences(of: "_", with: "-")
  }

  /// The ranges with a weight above zero, those that are liked best first.
  private static func ranges(of header: String) -> [String] {
    let weighted = header.split(separator: ",").prefix(maximumRanges).map { part in
      let parts = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.flatMap {
        Double($0.dropFirst(2))
      }
      return (range: parts.first?.lowercased() ?? "", weight: weight ?? 1)
    }
    return weighted.enumerated().filter { !$0.element.range.isEmpty && $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element.range)
  }

  /// The language that a range asks for, or a less special form of it; nil where there is none.
  ///
  /// Of several it is the one in which most of them are found, so that an app's texts for `zh-CN`
  /// are read beside those for `zh-Hans`.
  private static func nearest(to range: String, in known: [String]) -> String? {
    let tag = LanguageTag(range)
    let there = tag.fallbacks.filter { known.contains($0) && ($0 != "en" || tag.isEnglish) }
    let reach = there.map { language in
      (language, LanguageTag(language).fallbacks.count { there.contains($0) })
    }
    return reach.max { $0.1 < $1.1 }?.0
  }
}
