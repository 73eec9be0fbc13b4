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
  /// - Parameter range: Which numbers.
  /// - Returns: The rule.
  public static func range(_ range: ClosedRange<Value>) -> FormRule {
    FormRule(
      work: .check { number, _ in
        if range.contains(number) { return nil }
        return number > range.upperBound
          ? FormTexts.tooLarge(.number(Double(range.upperBound)))
          : FormTexts.tooSmall(.number(Double(range.lowerBound)))
      })
  }
}

extension FormRule where Value == Date {
  /// It is a moment in a range.
  ///
  /// - Parameter range: Which moments.
  /// - Returns: The rule.
  public static func range(_ range: ClosedRange<Date>) -> FormRule {
    FormRule(
      work: .check { date, _ in
        if range.contains(date) { return nil }
        return date > range.upperBound
          ? FormTexts.tooLarge(.date(range.upperBound))
          : FormTexts.tooSmall(.date(range.lowerBound))
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
