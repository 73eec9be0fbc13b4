// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// All decisions of a form: what is valid, what is shown, who is asked, and what an answer changes.
///
/// It knows fields by their number, no values, and no time but what it is told. What the rules say
/// is told to it; whom to ask it says itself.
struct FormStateMachine: Sendable {
  /// What the rules of a field say that ask nobody else.
  enum Judgement: Sendable {
    case passed
    /// It may be empty and is: nobody is asked about it.
    case blank
    case empty(AppError)
    case mistake(AppError)

    var error: AppError? {
      switch self {
      case .passed, .blank: nil
      case .empty(let error), .mistake(let error): error
      }
    }
  }

  /// How far the rules are that ask somebody else.
  enum Asking: Sendable {
    /// There is nobody to ask, or the value is the one with which the form began.
    case unasked
    /// The other rules do not pass: it begins as soon as they do.
    case owed
    case waiting(until: Duration)
    case running(Run)
    case passed
    case mistake(AppError)
    case unchecked
  }

  /// One question that is being asked.
  struct Run: Sendable {
    let id: UInt64
    let rule: Int
    let until: Duration
    /// Whether a rule before it could not be asked.
    let isUnsure: Bool
  }

  /// What came of a question.
  enum Answer: Sendable {
    case passed
    case mistake(AppError)
    /// Nobody could say.
    case unsure
  }

  /// What a field is made of.
  struct Field: Sendable {
    let pointer: JSONPointer
    let asks: [FormAsk]
    var judgement: Judgement
    var asking = Asking.unasked
    /// What a service said when the value was sent.
    var refusals: [AppError] = []
    var isEdited = false
    var isTouched = false
    /// Whether what was asked about it was found while the person was elsewhere.
    var isLate = false
    /// The number of the edit that changed it last.
    var lastEdit: UInt64 = 0

    init(pointer: JSONPointer, asks: [FormAsk] = [], judgement: Judgement) {
      self.pointer = pointer
      self.asks = asks
      self.judgement = judgement
    }
  }

  enum Phase: Sendable, Equatable {
    case editing
    /// A submission waits for those that are asked.
    case checking(submission: UInt64, lastEdit: UInt64)
    /// Its values are on their way; edits after this one are not among them.
    case sending(submission: UInt64, lastEdit: UInt64)
  }

  /// What is to be done outside.
  enum Action: Sendable, Equatable {
    case ask(field: Int, rule: Int, run: UInt64)
    /// Something newer has taken its place.
    case stop(run: UInt64)
    /// It takes too long.
    case giveUp(field: Int, run: UInt64)
  }

  /// How many are asked at once.
  static let maximumRuns = 8

  let timing: FormErrorTiming
  let places: [JSONPointer: Int]
  var fields: [Field]
  var phase = Phase.editing
  /// Whether the form was sent since it began or was sent with success.
  var wasSubmitted = false
  var submissionError: AppError?
  /// How many submissions did not succeed; those that were cancelled are not counted.
  var failedSubmissions = 0
  var focus: Int?
  /// Whether the last submission succeeded, and nothing was edited since.
  var hasSucceeded = false

  /// How many fields have each verdict.
  var tally: [FormFieldVerdict: Int] = [:]
  /// The fields of which something has changed since somebody last looked.
  private(set) var changes: Set<Int> = []
  /// The fields that wait to be asked about, or are.
  var active: Set<Int> = []
  /// The fields with refusals.
  var refused: Set<Int> = []
  var runs: [UInt64: Int] = [:]
  var edits: UInt64 = 0
  var numbers: UInt64 = 0

  init(_ fields: [Field], timing: FormErrorTiming = .left) {
    self.fields = fields
    self.timing = timing
    places = Dictionary(fields.indices.map { (fields[$0].pointer, $0) }) { first, _ in first }
    count()
  }

  mutating func count() {
    tally = [:]
    for field in fields { tally[field.verdict, default: 0] += 1 }
  }

  /// Changes a field, and what is counted of it.
  mutating func change(_ index: Int, _ change: (inout Field) -> Void) {
    let before = fields[index].verdict
    change(&fields[index])
    let after = fields[index].verdict
    if before != after {
      tally[before, default: 0] -= 1
      tally[after, default: 0] += 1
    }
    changes.insert(index)
  }

  /// The fields of which something has changed, each once; nothing has afterwards.
  mutating func takeChanges() -> Set<Int> {
    defer { changes = [] }
    return changes
  }

  mutating func changeAll() { changes = Set(fields.indices) }

  mutating func nextNumber() -> UInt64 {
    numbers += 1
    return numbers
  }
}

extension FormStateMachine.Field {
  var verdict: FormFieldVerdict {
    switch judgement {
    case .empty: return .empty
    case .mistake: return .invalid
    case .passed, .blank: break
    }
    switch asking {
    case .mistake: return .invalid
    case .waiting, .running: return .checking
    case .unasked, .owed, .passed, .unchecked: break
    }
    if !refusals.isEmpty { return .refused }
    if case .unchecked = asking { return .unchecked }
    return .valid
  }

  /// What is wrong by the rules.
  var mistake: AppError? {
    if let error = judgement.error { return error }
    return if case .mistake(let error) = asking { error } else { nil }
  }
}

// MARK: What is valid and what is shown

extension FormStateMachine {
  func count(of verdict: FormFieldVerdict) -> Int { tally[verdict] ?? 0 }

  var isSubmitting: Bool { phase != .editing }

  var isValid: Bool { count(of: .valid) + count(of: .unchecked) == fields.count }

  /// What a service said about a value does not keep anybody from sending it again.
  var canSubmit: Bool { !isSubmitting && count(of: .empty) + count(of: .invalid) == 0 }

  /// The errors that stand under a field.
  func errors(of index: Int) -> [AppError] {
    let field = fields[index]
    guard let mistake = field.mistake, shows(field) else { return field.refusals }
    return [mistake] + field.refusals
  }

  /// Whether a mistake in the field is shown.
  private func shows(_ field: Field) -> Bool {
    if wasSubmitted { return true }
    if case .empty = field.judgement { return false }
    switch timing {
    case .edited: return field.isEdited || field.isTouched
    case .left: return field.isTouched
    case .submitted: return false
    }
  }

  var firstInvalid: Int? {
    guard !isValid else { return nil }
    return fields.firstIndex {
      let verdict = $0.verdict
      return verdict.isBlocking || verdict == .refused
    }
  }
}

// MARK: What a person does

extension FormStateMachine {
  /// What the rules say about a field after an edit.
  struct Rejudged: Sendable {
    let index: Int
    let judgement: Judgement
    /// Whether somebody has to be asked again: its value changed, or one that is asked about.
    let isAskedAnew: Bool
  }

  /// The value of a field has changed.
  ///
  /// - Parameters:
  ///   - index: The field; nil for one that the form does not have.
  ///   - rejudged: What the rules say of it, and of the fields that depend on it.
  ///   - now: The reading of the clock.
  /// - Returns: What is to be done.
  mutating func edit(_ index: Int?, _ rejudged: [Rejudged], now: Duration) -> [Action] {
    edits += 1
    hasSucceeded = false
    if let index {
      refused.remove(index)
      change(index) { [edits] field in
        field.isEdited = true
        field.isLate = false
        field.refusals = []
        field.lastEdit = edits
      }
    }
    var actions: [Action] = []
    for change in rejudged { actions += judge(change, now: now) }
    return actions + advance(to: now)
  }

  /// The person has left a field.
  mutating func leave(_ index: Int) {
    guard !fields[index].isTouched else { return }
    change(index) { $0.isTouched = true }
  }

  /// The person goes to another field, or to none; the one that had the focus is left.
  mutating func moveFocus(to index: Int?) {
    guard index != focus else { return }
    if let focus { leave(focus) }
    focus = index
  }

  /// Everything begins anew, with other values.
  ///
  /// - Parameter judgements: What the rules say, for each field.
  /// - Returns: What is to be done.
  mutating func reset(_ judgements: [Judgement]) -> [Action] {
    let stops = runs.keys.sorted().map(Action.stop)
    for index in fields.indices {
      fields[index] = Field(
        pointer: fields[index].pointer, asks: fields[index].asks, judgement: judgements[index])
    }
    (active, refused, runs) = ([], [], [:])
    (phase, wasSubmitted, hasSucceeded) = (.editing, false, false)
    (submissionError, focus, failedSubmissions) = (nil, nil, 0)
    edits += 1
    count()
    changeAll()
    return stops
  }
}
