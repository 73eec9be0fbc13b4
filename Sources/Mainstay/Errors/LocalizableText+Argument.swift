// SPDX-License-Identifier: Apache-2.0

import Foundation

extension LocalizableText.Argument {
  private static let englishLocale = Locale(identifier: "en")

  /// The value in English, whatever catalogue is in force.
  var english: String {
    if case .localized(let text) = self { text.description } else { string(in: Self.englishLocale) }
  }

  func string(in locale: Locale) -> String {
    switch self {
    case .text(let text), .publicText(let text): text
    case .integer(let number): number.formatted(.number.locale(locale))
    case .number(let number): number.formatted(.number.locale(locale))
    case .date(let date):
      Self.calendarDate(date).formatted(
        Date.FormatStyle(
          date: .abbreviated, time: .shortened, locale: locale,
          timeZone: locale.timeZone ?? .autoupdatingCurrent))
    case .duration(let duration): Self.words(duration, in: locale)
    case .localized(let text): text.string(in: locale)
    }
  }

  /// At most two units, the largest first; a wait is never announced shorter than it is.
  private static func words(_ duration: Duration, in locale: Locale) -> String {
    let clamped = duration.clamped
    let whole = Duration.seconds(clamped.components.seconds)
    let seconds = whole < clamped ? whole + .seconds(1) : whole
    return seconds.formatted(
      Duration.UnitsFormatStyle(
        allowedUnits: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2,
        fractionalPart: .hide(rounded: .up)
      ).locale(locale))
  }

  /// The date, cut to the years that calendars know: a file or a server may say anything.
  private static func calendarDate(_ date: Date) -> Date {
    let seconds = date.timeIntervalSince1970
    guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
    return Date(timeIntervalSince1970: min(max(seconds, -62_135_596_800), 253_402_300_799))
  }
}

extension LocalizableText.Argument: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case text, integer, number, duration, date, localized
  }

  private enum TextKeys: String, CodingKey {
    case isPublic = "public"
  }

  /// Decodes an object with one member, such as `{"integer": 3}`; a public text has two, such as
  /// `{"public": true, "text": "…"}`.
  ///
  /// An argument of a kind that this build does not know becomes "…", so that the rest can be read.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch CodingKeys.allCases.first(where: container.contains) {
    case .text:
      let text = try container.decode(String.self, forKey: .text)
      let marks = try decoder.container(keyedBy: TextKeys.self)
      let isPublic = try marks.decodeIfPresent(Bool.self, forKey: .isPublic) ?? false
      self = isPublic ? .publicText(text) : .text(text)
    case .integer: self = .integer(try container.decode(Int.self, forKey: .integer))
    case .number:
      let isNumber = try !container.decodeNil(forKey: .number)
      self = .number(isNumber ? try container.decode(Double.self, forKey: .number) : .nan)
    case .duration: self = .duration(try container.decode(Duration.self, forKey: .duration))
    case .date: self = .date(try container.decode(Date.self, forKey: .date))
    case .localized:
      self = .localized(try container.decode(LocalizableText.self, forKey: .localized))
    case nil: self = .text("…")
    }
  }

  /// Encodes an object with one member, a public text with two; a number that is not finite becomes
  /// null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .text(let text): try container.encode(text, forKey: .text)
    case .publicText(let text):
      // Builds that do not know of it read the text all the same.
      try container.encode(text, forKey: .text)
      var marks = encoder.container(keyedBy: TextKeys.self)
      try marks.encode(true, forKey: .isPublic)
    case .integer(let number): try container.encode(number, forKey: .integer)
    case .number(let number) where number.isFinite: try container.encode(number, forKey: .number)
    case .number: try container.encodeNil(forKey: .number)
    case .duration(let duration): try container.encode(duration, forKey: .duration)
    case .date(let date): try container.encode(date.finite, forKey: .date)
    case .localized(let text): try container.encode(text, forKey: .localized)
    }
  }
}

extension Date {
  /// The date, or 1970 where it is not a number: JSON has no word for that.
  var finite: Date {
    timeIntervalSinceReferenceDate.isFinite ? self : Date(timeIntervalSince1970: 0)
  }
}
