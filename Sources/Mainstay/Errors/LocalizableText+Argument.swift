// SPDX-License-Identifier: Apache-2.0

import Foundation

extension LocalizableText.Argument {
  func string(in locale: Locale) -> String {
    switch self {
    case .text(let text): text
    case .integer(let number): number.formatted(.number.locale(locale))
    case .number(let number): number.formatted(.number.locale(locale))
    case .date(let date):
      date.formatted(Date.FormatStyle(date: .abbreviated, time: .shortened, locale: locale))
    case .duration(let duration): Self.words(duration, in: locale)
    }
  }

  /// At most two units, the largest first; a wait is never announced shorter than it is.
  private static func words(_ duration: Duration, in locale: Locale) -> String {
    let clamped = duration.clamped
    let whole = Duration.seconds(clamped.components.seconds)
    let seconds = whole < clamped ? whole + .seconds(1) : whole
    return seconds.formatted(
      Duration.UnitsFormatStyle(
        allowedUnits: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2
      ).locale(locale))
  }
}
