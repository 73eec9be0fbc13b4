// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Mainstay

extension FormRule where Value: BinaryInteger {
  /// It is a number in a range.
  ///
  /// - Parameter range: Which numbers, such as `13...` or `1...10`.
  /// - Returns: The rule.
  public static func range(_ range: some RangeExpression<Int> & Sendable) -> FormRule {
    let legal = Bounds(range, of: "range", least: .min)
    return FormRule(work: .check { number, _ in legal.mistake(number) })
  }

  /// It is an age of so many years or more.
  ///
  /// - Parameter years: How many years, such as 13.
  /// - Returns: The rule.
  public static func minimumAge(_ years: Int) -> FormRule {
    FormRule(work: .check { age, _ in age < years ? FormTexts.tooYoung(years) : nil })
  }
}

extension FormRule where Value: BinaryFloatingPoint {
  /// It is a number in a range; what is not a number is none.
  ///
  /// - Parameter range: Which numbers, such as `0.5...`, `...1` or `0..<1`. A range without a
  ///   number in it stops the program.
  /// - Returns: The rule.
  public static func range(_ range: some RangeExpression<Value> & Sendable) -> FormRule {
    let legal = Ends(range)
    return FormRule(
      work: .check { number, _ in
        switch legal.place(of: number) {
        case .inside: nil
        case .below(let end): FormTexts.tooSmall(.number(Double(end)))
        case .above(let end): FormTexts.tooLarge(.number(Double(end)))
        case .atLeast(let end): FormTexts.notBelow(.number(Double(end)))
        case .outside: FormTexts.unacceptable
        }
      })
  }
}

extension FormRule where Value == Date {
  /// It is a moment in a range.
  ///
  /// The ends stay what they are when the rule is made: `...Date.now` in a static property ends
  /// when the property is first read.
  ///
  /// - Parameter range: Which moments, such as `start...`, `...Date.now` or `start..<end`. A range
  ///   without a moment in it stops the program.
  /// - Returns: The rule.
  public static func range(_ range: some RangeExpression<Date> & Sendable) -> FormRule {
    let legal = Ends(range)
    return FormRule(
      work: .check { date, _ in
        switch legal.place(of: date) {
        case .inside: nil
        case .below(let end): FormTexts.tooEarly(end)
        case .above(let end): FormTexts.tooLate(end)
        case .atLeast(let end): FormTexts.notBefore(end)
        case .outside: FormTexts.unacceptable
        }
      })
  }

  /// It is the date of birth of somebody who is so many years old or older today.
  ///
  /// Years are those of the Gregorian calendar. Who was born on 29 February has the birthday of
  /// other years on 1 March.
  ///
  /// - Parameters:
  ///   - years: How many years, such as 13.
  ///   - timeZone: Where the days begin; the default is the current time zone.
  ///   - date: Tells the time of each check; the default is that of the system.
  /// - Returns: The rule.
  public static func minimumAge(
    _ years: Int, in timeZone: TimeZone = .autoupdatingCurrent,
    date: @escaping @Sendable () -> Date = { Date() }
  ) -> FormRule {
    FormRule(
      work: .check { birth, _ in
        Age.years(from: birth, to: date(), in: timeZone) < years
          ? FormTexts.bornTooLate(years) : nil
      })
  }
}

extension FormRule where Value: Collection {
  /// As many elements are chosen.
  ///
  /// A range that begins with 1 or more also fails where nothing is chosen only together with
  /// ``required``.
  ///
  /// - Parameter range: How many, such as `1...3`; what is below zero is cut to it.
  /// - Returns: The rule.
  public static func count(_ range: some RangeExpression<Int> & Sendable) -> FormRule {
    let legal = Bounds(range, of: "count")
    return FormRule(
      work: .check { elements, _ in
        if elements.count < legal.minimum { return FormTexts.tooFew(legal.minimum) }
        return elements.count > legal.maximum ? FormTexts.tooMany(legal.maximum) : nil
      })
  }
}

extension FormRule where Value: Equatable {
  /// It is what stands in another field, such as a password that is entered twice.
  ///
  /// It runs again when either changes. Texts are equal where a person sees the same, whatever
  /// accents are made of.
  ///
  /// - Parameter other: The other field.
  /// - Returns: The rule.
  public static func equal(to other: FormField<Values, Value>) -> FormRule {
    FormRule(
      work: .check { value, values in value == other.value(in: values) ? nil : FormTexts.different
      },
      dependencies: [other.pointer])
  }
}

/// The ends of a range of values that have no next one.
private struct Ends<Bound: Comparable & Sendable>: Sendable {
  enum Place {
    case inside, below(Bound), above(Bound), atLeast(Bound)
    /// Of a range whose ends nobody knows.
    case outside
  }

  private let contains: @Sendable (Bound) -> Bool
  private var lowest: Bound?
  private var highest: Bound?
  /// The end that is no longer in the range.
  private var limit: Bound?

  init(_ range: some RangeExpression<Bound> & Sendable) {
    contains = { range.contains($0) }
    switch range {
    case let range as ClosedRange<Bound>: (lowest, highest) = (range.lowerBound, range.upperBound)
    case let range as PartialRangeFrom<Bound>: lowest = range.lowerBound
    case let range as PartialRangeThrough<Bound>: highest = range.upperBound
    case let range as PartialRangeUpTo<Bound>: limit = range.upperBound
    case let range as Range<Bound>:
      precondition(!range.isEmpty, "FormRule.range(\(range)) is not legal: nothing is in it")
      (lowest, limit) = (range.lowerBound, range.upperBound)
    default: break
    }
  }

  /// Where a value is; one that is not a number has to be somewhere, too.
  func place(of value: Bound) -> Place {
    if contains(value) { return .inside }
    if let lowest, !(value >= lowest) { return .below(lowest) }
    if let highest { return .above(highest) }
    return limit.map { .atLeast($0) } ?? .outside
  }
}

private enum Age {
  /// How many birthdays there were; less than none where somebody is yet to be born.
  static func years(from birth: Date, to now: Date, in timeZone: TimeZone) -> Int {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    // A calendar that counts the years itself takes 28 February for the birthday of the 29th.
    let days = [birth, now].map { date in
      let day = calendar.dateComponents([.year, .month, .day], from: legal(date))
      return (year: day.year ?? 0, month: day.month ?? 0, day: day.day ?? 0)
    }
    let isBeforeBirthday = (days[1].month, days[1].day) < (days[0].month, days[0].day)
    return days[1].year - days[0].year - (isBeforeBirthday ? 1 : 0)
  }

  /// The date, cut to the years that calendars know; what is none is nobody's birthday.
  private static func legal(_ date: Date) -> Date {
    if date.timeIntervalSinceReferenceDate.isNaN { return .distantFuture }
    return min(max(date, .distantPast), .distantFuture)
  }
}
