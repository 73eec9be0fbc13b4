// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// All fields of a form, in the order in which a person goes through them.
///
/// ```swift
/// static let fields = FormFields<Self> {
///   email
///   password
///   confirmation
/// }
/// ```
public struct FormFields<Values: Sendable>: Sendable {
  /// Collects fields with values of different types.
  @resultBuilder
  public enum Builder {
    /// A field.
    public static func buildExpression<Value>(_ field: FormField<Values, Value>) -> FormFields {
      FormFields([ErasedFormField(field)])
    }

    /// Fields that are listed elsewhere.
    public static func buildExpression(_ fields: FormFields) -> FormFields { fields }

    /// Fields one after the other.
    public static func buildBlock(_ parts: FormFields...) -> FormFields { buildArray(parts) }

    /// Fields made in a loop.
    public static func buildArray(_ parts: [FormFields]) -> FormFields {
      FormFields(parts.flatMap(\.all))
    }

    /// Fields that may not be there.
    public static func buildOptional(_ part: FormFields?) -> FormFields {
      part ?? FormFields([])
    }

    /// The first of two alternatives.
    public static func buildEither(first: FormFields) -> FormFields { first }

    /// The second of two alternatives.
    public static func buildEither(second: FormFields) -> FormFields { second }
  }

  let all: [ErasedFormField<Values>]

  private init(_ all: [ErasedFormField<Values>]) { self.all = all }

  /// Makes a list of fields.
  ///
  /// Two fields with the same place stop the program.
  public init(@Builder _ fields: () -> FormFields) {
    self = fields()
    var places: Set<JSONPointer> = []
    for field in all {
      precondition(
        places.insert(field.pointer).inserted,
        "FormFields is not legal: two fields have the place \(field.pointer)")
    }
  }

  /// The places of the fields, in their order.
  public var pointers: [JSONPointer] { all.map(\.pointer) }

  /// What is wrong with each field, in their order; rules that ask somebody else are not asked.
  ///
  /// - Parameter values: The values of all fields.
  /// - Returns: At most one error for a field; none where nothing is wrong.
  public func errors(in values: Values) -> [AppError] {
    all.compactMap { $0.judge(values).error }
  }

  /// Checks a value before work begins with it, without a form.
  ///
  /// - Parameter values: The values of all fields.
  /// - Throws: An error of the kind `validation` that names the first wrong field; `aboutFields`
  ///   has one for each.
  public func check(_ values: Values) throws(AppError) {
    let errors = errors(in: values)
    guard let first = errors.first else { return }
    if errors.count == 1 { throw first }
    throw first.saying(
      first.message, suggestion: first.suggestion, field: first.field, underlying: errors)
  }
}

/// A field without the type of its value.
struct ErasedFormField<Values: Sendable>: Sendable {
  /// A rule that asks somebody else.
  struct Ask: Sendable {
    let timing: FormAsk
    let dependencies: [JSONPointer]
    let answer: @concurrent @Sendable (Values) async throws -> AppError?
  }

  let pointer: JSONPointer
  let label: LocalizableText
  /// The other fields that any of the rules looks at.
  let dependencies: Set<JSONPointer>
  let asks: [Ask]
  let judge: @Sendable (Values) -> FormStateMachine.Judgement

  init<Value>(_ field: FormField<Values, Value>) {
    pointer = field.pointer
    label = field.label
    dependencies = Set(field.rules.flatMap(\.dependencies)).subtracting([field.pointer])
    judge = { field.judgement(of: $0) }
    asks = field.rules.compactMap { rule in
      guard case .ask(let timing, let answer) = rule.work else { return nil }
      return Ask(timing: timing, dependencies: rule.dependencies) { values in
        try await answer(field.value(in: values), values)?.about(field: field.pointer)
      }
    }
  }
}
