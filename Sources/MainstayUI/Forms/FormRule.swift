// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What is legal in a field of a form.
///
/// ```swift
/// rules: [.required, .length(3...20), .ask("This name is taken.") { name, _ in … }]
/// ```
///
/// The rules of a field run in their order, and the first that fails is the error of the field.
/// Those that ask somebody else come after all others, wherever they stand. A rule that depends on
/// no other field is not asked about an empty one.
public struct FormRule<Values: Sendable, Value: Sendable>: Sendable {
  enum Work: Sendable {
    /// It has to be filled in.
    case required(isEmpty: @Sendable (Value) -> Bool, error: @Sendable () -> AppError)
    /// Nil where it passes.
    case check(@Sendable (Value, Values) throws -> AppError?)
    /// Nil where it passes.
    case ask(FormAsk, @concurrent @Sendable (Value, Values) async throws -> AppError?)
  }

  var work: Work
  /// The other fields that it looks at.
  var dependencies: [JSONPointer] = []

  /// A rule of your own, which depends only on what was entered.
  ///
  /// It runs with every edit of the field and of those that it depends on, so it has to be quick.
  /// It may throw: an error of the kind `validation` is shown in its own words, any other in words
  /// that fit anything. One that says that it was cancelled judges nothing: the rule passes.
  ///
  /// - Parameters:
  ///   - message: What is wrong where it does not pass, in a sentence.
  ///   - suggestion: What to enter instead.
  ///   - code: The stable name of the mistake; the default is `validation`.
  ///   - fields: The other fields that it looks at: it runs again when one of them changes.
  ///   - isLegal: Whether it passes, from the value of the field and those of the form.
  /// - Returns: The rule.
  public static func check(
    _ message: LocalizableText, suggestion: LocalizableText? = nil, code: ErrorCode = "validation",
    dependingOn fields: [JSONPointer] = [],
    _ isLegal: @escaping @Sendable (Value, Values) throws -> Bool
  ) -> FormRule {
    FormRule(
      work: .check { value, values in
        try isLegal(value, values)
          ? nil : .validation(message, suggestion: suggestion, code: code)
      }, dependencies: fields)
  }

  /// A rule that asks somebody else, such as a service.
  ///
  /// It begins once the field has not changed for a while, or when the form is sent, and where the
  /// other rules pass; a newer value cancels it, and its late answer changes nothing. Where it
  /// throws an error of the kind `validation`, that is shown. Where it throws another, or takes too
  /// long, the field is ``FormFieldVerdict/unchecked``, which does not block. The value with which
  /// the form began is not asked about.
  ///
  /// - Parameters:
  ///   - message: What is wrong where it does not pass, in a sentence.
  ///   - suggestion: What to enter instead.
  ///   - code: The stable name of the mistake; the default is `validation`.
  ///   - fields: The other fields that it looks at: it runs again when one of them changes.
  ///   - delay: How long the field has to stay as it is before; zero to a year, the default is 300
  ///     milliseconds. What stands outside is cut to it.
  ///   - limit: How long an answer may take; more than zero, cut to a year, the default is 10
  ///     seconds.
  ///   - isLegal: Whether it passes, from the value of the field and those of the form.
  /// - Returns: The rule.
  public static func ask(
    _ message: LocalizableText, suggestion: LocalizableText? = nil, code: ErrorCode = "validation",
    dependingOn fields: [JSONPointer] = [],
    after delay: Duration = .milliseconds(300), within limit: Duration = .seconds(10),
    _ isLegal: @escaping @concurrent @Sendable (Value, Values) async throws -> Bool
  ) -> FormRule {
    precondition(limit > .zero, "FormRule.ask(within: \(limit)) is not legal: more than zero")
    return FormRule(
      work: .ask(FormAsk(delay: delay.clamped, limit: limit.clamped)) { value, values in
        try await isLegal(value, values)
          ? nil : .validation(message, suggestion: suggestion, code: code)
      }, dependencies: fields)
  }

  /// The same rule in other words.
  ///
  /// - Parameters:
  ///   - message: What is wrong, in a sentence.
  ///   - suggestion: What to enter instead; the default is no suggestion.
  /// - Returns: The rule with these words, for whatever it finds.
  public func saying(_ message: LocalizableText, suggestion: LocalizableText? = nil) -> FormRule {
    let words = { @Sendable (error: AppError?) in
      error?.saying(message, suggestion: suggestion)
    }
    var copy = self
    switch work {
    case .required(let isEmpty, let error):
      copy.work = .required(
        isEmpty: isEmpty, error: { error().saying(message, suggestion: suggestion) })
    case .check(let check): copy.work = .check { words(try check($0, $1)) }
    case .ask(let ask, let answer): copy.work = .ask(ask) { words(try await answer($0, $1)) }
    }
    return copy
  }

  /// A rule for optional values: it passes where there is none.
  ///
  /// - Parameter rule: What is legal where there is a value.
  /// - Returns: The rule.
  public static func ifPresent<Wrapped: Sendable>(
    _ rule: FormRule<Values, Wrapped>
  ) -> FormRule where Value == Wrapped? {
    let work: Work =
      switch rule.work {
      case .required(let isEmpty, let error):
        .required(isEmpty: { $0.map(isEmpty) == true }, error: error)
      case .check(let check):
        .check { value, values in try value.flatMap { try check($0, values) } }
      case .ask(let ask, let answer):
        .ask(ask) { value, values in
          guard let value else { return nil }
          return try await answer(value, values)
        }
      }
    return FormRule(work: work, dependencies: rule.dependencies)
  }
}

/// When a rule asks somebody else, and for how long.
struct FormAsk: Sendable, Hashable {
  /// How long the field has to stay as it is before.
  var delay: Duration
  /// How long an answer may take.
  var limit: Duration
}
