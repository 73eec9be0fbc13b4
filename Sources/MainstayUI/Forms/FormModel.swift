// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// Holds a form while a person fills it in: the values, what is wrong with them, and what of that
/// is shown.
///
/// ```swift
/// let form = FormModel(SignUp(), fields: SignUp.fields)
/// form.set(SignUp.email, "ada@example.com")
/// let account = await form.submit("Sign up") { try await service.signUp($0) }
/// ```
///
/// An edit runs the rules of its field and of those that depend on it, and is told to those alone
/// who look at one of these. The states are on the page <doc:FillingForms>.
@MainActor @Observable
public final class FormModel<Values: Sendable> {
  /// What observers of one field see change; what it is stands in the machine.
  @MainActor @Observable
  final class Watch {
    var stamp: UInt64 = 0
    /// What of it was in a summary when somebody was told last.
    @ObservationIgnored var told: (verdict: FormFieldVerdict, errors: [UUID])?
  }

  @ObservationIgnored var machine: FormStateMachine
  @ObservationIgnored var current: Values
  @ObservationIgnored let fields: [ErasedFormField<Values>]
  /// The fields with rules that look at a place.
  @ObservationIgnored private let dependents: [JSONPointer: [Int]]
  @ObservationIgnored let timeline: Timeline
  @ObservationIgnored let mapping: ErrorMapping?
  @ObservationIgnored let monitor: ErrorMonitor?

  @ObservationIgnored private let watches: [Watch]
  /// Changes with each value, with what is wrong or shown, and with the state of the form.
  private var valueStamp: UInt64 = 0
  private var verdictStamp: UInt64 = 0
  private var formStamp: UInt64 = 0
  /// How often ``requestFocus(_:)`` was called: for whoever lets the focus of a screen follow.
  public private(set) var focusRequests = 0
  @ObservationIgnored private var lastOverview: Overview

  @ObservationIgnored var tasks: [UInt64: Task<Void, Never>] = [:]
  @ObservationIgnored let timer: RestTimer
  @ObservationIgnored var waiter: Waiter?

  /// A submission that waits for those that are asked.
  struct Waiter {
    let submission: UInt64
    let continuation: CheckedContinuation<Ready?, Never>
  }

  /// A submission whose values are on their way.
  struct Ready: Sendable {
    let submission: UInt64
    let values: Values
  }

  /// What is seen of the form as a whole.
  private struct Overview: Equatable {
    let isValid: Bool
    let canSubmit: Bool
    let isSubmitting: Bool
    let hasSucceeded: Bool
    let focus: Int?
    let failures: Int
    let error: UUID?

    init(_ machine: FormStateMachine) {
      (isValid, canSubmit) = (machine.isValid, machine.canSubmit)
      (isSubmitting, hasSucceeded) = (machine.isSubmitting, machine.hasSucceeded)
      (focus, failures) = (machine.focus, machine.failedSubmissions)
      error = machine.submissionError?.id
    }
  }

  /// Makes a form whose fields are pristine.
  ///
  /// - Parameters:
  ///   - values: What stands in the fields at the beginning.
  ///   - fields: The fields.
  ///   - timing: When mistakes show; the default is once a field was left.
  ///   - mapping: How foreign errors are mapped; the default is `ErrorMapping.current`.
  ///   - monitor: Who is told of failures, but not of mistakes that stand under a field, which are
  ///     the person's; nil, the default, tells nobody.
  ///   - clock: The clock of rules that ask somebody else; the default is the continuous one.
  public init(
    _ values: Values, fields: FormFields<Values>, showing timing: FormErrorTiming = .left,
    mapping: ErrorMapping? = nil, monitor: ErrorMonitor? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    current = values
    self.fields = fields.all
    self.mapping = mapping
    self.monitor = monitor
    timeline = Timeline(clock)
    timer = RestTimer(on: timeline)
    machine = FormStateMachine(
      fields.all.map { field in
        FormStateMachine.Field(
          pointer: field.pointer, asks: field.asks.map(\.timing), judgement: field.judge(values))
      }, timing: timing)
    watches = fields.all.map { _ in Watch() }
    var dependents: [JSONPointer: [Int]] = [:]
    for (index, field) in fields.all.enumerated() {
      for pointer in field.dependencies { dependents[pointer, default: []].append(index) }
    }
    self.dependents = dependents
    lastOverview = Overview(machine)
  }

  deinit { for task in tasks.values { task.cancel() } }

  // MARK: Values

  /// What stands in all fields.
  public var values: Values {
    _ = valueStamp
    return current
  }

  /// What stands in a field; writing is ``set(_:_:)``, so that it can be a binding.
  public subscript<Value>(field: FormField<Values, Value>) -> Value {
    get {
      if let index = machine.places[field.pointer] { watch(index) } else { _ = valueStamp }
      return field.value(in: current)
    }
    set { set(field, newValue) }
  }

  /// Writes into a field, as a person does; the value that is there already changes nothing.
  ///
  /// What a service said about the field is gone with its old value. A field that the form does not
  /// have is written too, and nobody judges it.
  public func set<Value>(_ field: FormField<Values, Value>, _ value: Value) {
    guard field.value(in: current) != value else { return }
    field.set(value, in: &current)
    let own = machine.places[field.pointer]
    let others = dependents[field.pointer] ?? []
    let rejudged = ((own.map { [$0] } ?? []) + others).map { index in
      let asks = fields[index].asks
      let isAskedAnew =
        index == own
        ? !asks.isEmpty : asks.contains { $0.dependencies.contains(field.pointer) }
      return FormStateMachine.Rejudged(
        index: index, judgement: fields[index].judge(current), isAskedAnew: isAskedAnew)
    }
    valueStamp += 1
    follow(machine.edit(own, rejudged, now: timeline.now))
  }

  /// Begins anew with other values: nothing is edited, touched or wrong by a service.
  ///
  /// A submission that is under way goes on, and its end changes nothing.
  public func reset(to values: Values) {
    current = values
    valueStamp += 1
    follow(machine.reset(fields.map { $0.judge(values) }))
  }

  /// The person has left a field: what is wrong with it shows from now on.
  ///
  /// Setting ``focus`` does that by itself.
  public func leave<Value>(_ field: FormField<Values, Value>) {
    guard let index = machine.places[field.pointer] else { return }
    machine.leave(index)
    follow([])
  }

  // MARK: What is wrong, and what is shown of it

  /// What is wrong with a field, where that is shown: the first of ``errors(for:)``.
  public func error<Value>(for field: FormField<Values, Value>) -> AppError? {
    errors(for: field).first
  }

  /// All that is shown under a field: a mistake by the rules, and what a service said.
  public func errors<Value>(for field: FormField<Values, Value>) -> [AppError] {
    guard let index = machine.places[field.pointer] else { return [] }
    watch(index)
    return machine.errors(of: index)
  }

  /// What follows from what stands in a field, shown or not.
  public func verdict<Value>(of field: FormField<Values, Value>) -> FormFieldVerdict {
    guard let index = machine.places[field.pointer] else { return .valid }
    watch(index)
    return machine.fields[index].verdict
  }

  /// Whether a field's value was changed since the form began, or since it was sent.
  public func isEdited<Value>(_ field: FormField<Values, Value>) -> Bool {
    guard let index = machine.places[field.pointer] else { return false }
    watch(index)
    return machine.fields[index].isEdited
  }

  /// Whether every field is valid, or could not be checked.
  public var isValid: Bool {
    _ = formStamp
    return machine.isValid
  }

  /// Whether sending can succeed as far as the rules tell: for a button that is disabled otherwise.
  ///
  /// It is true while rules ask somebody, since sending waits for them, and where only a service
  /// has refused a value, since it may think otherwise now. A button that is always there shows
  /// what is wrong instead; disable that only while ``isSubmitting``.
  public var canSubmit: Bool {
    _ = formStamp
    return machine.canSubmit
  }

  /// Whether a submission waits for rules, or is on its way.
  public var isSubmitting: Bool {
    _ = formStamp
    return machine.isSubmitting
  }

  /// Whether the last submission succeeded, and nothing was edited since it was sent.
  public var hasSucceeded: Bool {
    _ = formStamp
    return machine.hasSucceeded
  }

  /// How many submissions did not succeed since the form began; none of them was cancelled.
  ///
  /// It tells of each one, also of those that end in the moment in which they began, so that
  /// ``isSubmitting`` is never seen to change: for whoever announces them.
  public var failedSubmissions: Int {
    _ = formStamp
    return machine.failedSubmissions
  }

  /// What a screen reader announces about the last submission where it did not succeed: what stands
  /// under the fields, else what went wrong besides.
  ///
  /// - Parameter locale: The language of the reader; the default is the current one.
  /// - Returns: The words; nil where there is nothing to say.
  public func announcement(in locale: Locale = .current) -> String? {
    let besides = submissionError?.message.string(in: locale)
    let parts = [summary?.announcement(in: locale), besides].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "\n")
  }

  /// What went wrong with the last submission, besides what stands under fields.
  public var submissionError: AppError? {
    _ = formStamp
    return machine.submissionError
  }

  /// Puts the error of the submission away.
  public func dismissSubmissionError() {
    machine.submissionError = nil
    follow([])
  }

  /// The first field that is empty, invalid or refused, whether or not that is shown.
  public var firstInvalidField: JSONPointer? {
    _ = verdictStamp
    return machine.firstInvalid.map { fields[$0].pointer }
  }

  /// The field that has the focus; setting another one, or none, leaves it.
  ///
  /// A submission that does not succeed sets it to the first field that is wrong. A place that the
  /// form does not have counts as none.
  public var focus: JSONPointer? {
    get {
      _ = formStamp
      return machine.focus.map { fields[$0].pointer }
    }
    set {
      machine.moveFocus(to: newValue.flatMap { machine.places[$0] })
      follow([])
    }
  }

  /// Sets ``focus``, and raises ``focusRequests`` even where that field has it already: the screen
  /// may have lost it, as where a field was scrolled away.
  public func requestFocus(_ field: JSONPointer?) {
    focus = field
    focusRequests += 1
  }

  /// All that is shown under fields, in their order; nil where nothing is.
  ///
  /// It goes through all fields with each reading, and never with an edit.
  public var summary: FormSummary? {
    _ = verdictStamp
    let lines = fields.indices.flatMap { index in
      machine.errors(of: index).map { error in
        FormSummary.Line(field: fields[index].pointer, label: fields[index].label, error: error)
      }
    }
    return lines.isEmpty ? nil : FormSummary(lines: lines)
  }

  // MARK: After each change

  func watch(_ index: Int) { _ = watches[index].stamp }

  /// Does what the machine asks for, and tells those who look at what has changed.
  func follow(_ actions: [FormStateMachine.Action]) {
    for action in actions { perform(action) }
    let changes = machine.takeChanges()
    var hasNews = false
    for index in changes {
      watches[index].stamp += 1
      let now = (machine.fields[index].verdict, machine.errors(of: index).map(\.id))
      if let told = watches[index].told, told == now { continue }
      watches[index].told = now
      hasNews = true
    }
    if hasNews { verdictStamp += 1 }
    let overview = Overview(machine)
    if overview != lastOverview {
      lastOverview = overview
      formStamp += 1
    }
    settleWaiter()
    schedule()
  }
}
