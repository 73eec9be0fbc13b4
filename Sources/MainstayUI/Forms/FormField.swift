// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// A field of a form: where its value is, what it is called, and what is legal in it.
///
/// ```swift
/// static let email = FormField<Self, String>(
///   "email", \.email, label: "Email", rules: [.required, .email])
/// ```
///
/// Two fields are equal when they have the same place.
public struct FormField<Values: Sendable, Value: Sendable & Equatable>: Sendable {
  /// The place of the value in what is sent, by which a service names it, such as `/email`.
  public let pointer: JSONPointer
  /// What the person knows the field by.
  public let label: LocalizableText
  let rules: [FormRule<Values, Value>]
  private let read: @Sendable (Values) -> Value
  private let write: @Sendable (inout Values, Value) -> Void

  /// Makes a field for a property.
  ///
  /// - Parameters:
  ///   - name: The name of the value in what is sent, such as `email`.
  ///   - path: The property.
  ///   - label: What the person knows the field by.
  ///   - rules: What is legal; the default is everything.
  public init(
    _ name: String, _ path: any WritableKeyPath<Values, Value> & Sendable, label: LocalizableText,
    rules: [FormRule<Values, Value>] = []
  ) {
    self.init(
      JSONPointer(tokens: [name]), label: label, rules: rules, get: { $0[keyPath: path] },
      set: { $0[keyPath: path] = $1 })
  }

  /// Makes a field for any place in a value, such as an element of an array.
  ///
  /// - Parameters:
  ///   - pointer: The place of the value in what is sent, such as `/items/0/name`; not that of the
  ///     whole document, which stops the program.
  ///   - label: What the person knows the field by.
  ///   - rules: What is legal; the default is everything.
  ///   - get: Reads the value; it has to have an answer also where the element is gone.
  ///   - set: Writes the value.
  public init(
    _ pointer: JSONPointer, label: LocalizableText, rules: [FormRule<Values, Value>] = [],
    get: @escaping @Sendable (Values) -> Value,
    set: @escaping @Sendable (inout Values, Value) -> Void
  ) {
    precondition(
      !pointer.tokens.isEmpty, "FormField(\"\") is not legal: the whole document is no field")
    self.pointer = pointer
    self.label = label
    self.rules = rules
    read = get
    write = set
  }

  /// What stands in the field.
  public func value(in values: Values) -> Value { read(values) }

  /// Writes into the field, without any check.
  public func set(_ value: Value, in values: inout Values) { write(&values, value) }

  /// What is wrong with the field, without a form; rules that ask somebody else are not asked.
  ///
  /// - Parameter values: The values of all fields.
  /// - Returns: An error of the kind `validation` that names the field; nil where nothing is wrong.
  public func error(in values: Values) -> AppError? { judgement(of: values).error }

  /// What the rules say that ask nobody else.
  func judgement(of values: Values) -> FormStateMachine.Judgement {
    let value = value(in: values)
    let isBlank = Emptiness.isEmpty(value)
    for rule in rules {
      switch rule.work {
      case .required(let isEmpty, let error):
        if isEmpty(value) { return .empty(error().about(field: pointer)) }
      case .check(let check):
        if isBlank, rule.dependencies.isEmpty { continue }
        guard let error = Self.mistake(by: check, value, values) else { continue }
        // What is missing is not rubbed in before the form was sent.
        return isBlank ? .empty(error.about(field: pointer)) : .mistake(error.about(field: pointer))
      case .ask: continue
      }
    }
    return isBlank ? .blank : .passed
  }

  private static func mistake(
    by check: (Value, Values) throws -> AppError?, _ value: Value, _ values: Values
  ) -> AppError? {
    do {
      return try check(value, values)
    } catch {
      let error = error.asAppError
      if error.isCancellation { return nil }
      return error.kind == .validation ? error : FormTexts.unacceptable
    }
  }
}

extension FormField: Hashable {
  /// Whether both have the same place.
  public static func == (left: FormField, right: FormField) -> Bool {
    left.pointer == right.pointer
  }

  /// Hashes the place.
  public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}
