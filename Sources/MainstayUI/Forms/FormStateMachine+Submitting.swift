// SPDX-License-Identifier: Apache-2.0

import Mainstay

// MARK: Sending the form

extension FormStateMachine {
  /// How far a submission is.
  enum Settlement: Sendable, Equatable {
    /// There is none that waits.
    case none
    /// It waits for those that are asked.
    case waits
    /// A field is not valid: it has ended.
    case stopped
    case sends(submission: UInt64)
  }

  /// How the operation of a submission ended.
  enum Ending: Sendable {
    case succeeded
    case cancelled
    case failed(AppError)
  }

  /// The person sends the form.
  ///
  /// - Parameter now: The reading of the clock.
  /// - Returns: The number of the submission and what is to be done; nil while one is under way.
  mutating func submit(now: Duration) -> (submission: UInt64, actions: [Action])? {
    guard phase == .editing else { return nil }
    let submission = nextNumber()
    phase = .checking(submission: submission, lastEdit: edits)
    wasSubmitted = true
    forgetEnding()
    for index in active {
      if case .waiting = fields[index].asking { change(index) { $0.asking = .waiting(until: now) } }
    }
    changeAll()  // mistakes that were not shown are now, and announced together
    for index in fields.indices { fields[index].isLate = false }
    return (submission, advance(to: now))
  }

  /// Somebody else has sent what stands in the form, and that failed.
  mutating func show(_ error: AppError) {
    guard phase == .editing, !error.isCancellation else { return }
    forgetEnding()
    fail(error, edits)
  }

  /// Forgets how the last submission ended.
  private mutating func forgetEnding() {
    hasSucceeded = false
    submissionError = nil
    for index in refused { change(index) { $0.refusals = [] } }
    refused = []
  }

  /// Goes on with a submission that waits, as far as that is possible.
  mutating func settle() -> Settlement {
    guard case .checking(let submission, let lastEdit) = phase else { return .none }
    if count(of: .empty) + count(of: .invalid) > 0 {
      phase = .editing
      failedSubmissions += 1
      focusFirst(after: lastEdit)
      return .stopped
    }
    guard count(of: .checking) == 0 else { return .waits }
    phase = .sending(submission: submission, lastEdit: edits)
    return .sends(submission: submission)
  }

  /// Whoever sent the form does not wait any longer.
  mutating func abandon(_ submission: UInt64) {
    if case .checking(submission, _) = phase { phase = .editing }
  }

  /// The operation has ended; that of a submission which is not the newest changes nothing.
  mutating func finish(_ submission: UInt64, _ ending: Ending) {
    guard case .sending(submission, let lastEdit) = phase else { return }
    phase = .editing
    switch ending {
    case .cancelled: break
    case .succeeded: succeed(lastEdit)
    case .failed(let error): fail(error, lastEdit)
    }
  }

  /// Fields whose values were sent begin anew; those that were edited meanwhile do not.
  private mutating func succeed(_ lastEdit: UInt64) {
    hasSucceeded = edits == lastEdit
    wasSubmitted = false
    for index in fields.indices where fields[index].lastEdit <= lastEdit {
      change(index) { field in
        field.isEdited = false
        field.isTouched = false
      }
    }
    changeAll()
  }

  private mutating func fail(_ error: AppError, _ lastEdit: UInt64) {
    failedSubmissions += 1
    let mistakes = error.mistakes
    var homeless: [AppError] = []
    var isShown = false
    for mistake in mistakes {
      guard let index = mistake.field.flatMap(place) else {
        homeless.append(mistake)
        continue
      }
      guard fields[index].lastEdit <= lastEdit else { continue }  // about a value that is gone
      isShown = true
      refused.insert(index)
      change(index) { $0.refusals.append(mistake) }
    }
    if !homeless.isEmpty {
      submissionError = error.telling(homeless)
    } else if mistakes.isEmpty {
      submissionError = error
    } else if !isShown {
      submissionError = error.saying(FormTexts.refused, suggestion: nil, underlying: mistakes)
    }
    if isShown { focusFirst(after: lastEdit) }
  }

  /// Whether an error is for the team: it is no mistake of the person's that stands under a field.
  func isForTeam(_ error: AppError) -> Bool {
    let mistakes = error.mistakes
    return mistakes.isEmpty || mistakes.contains { $0.field.flatMap(place) == nil }
  }

  /// The field at a place, else the nearest around it.
  private func place(of pointer: JSONPointer) -> Int? {
    var tokens = pointer.tokens[...]
    while !tokens.isEmpty {
      if let index = places[JSONPointer(tokens: Array(tokens))] { return index }
      tokens.removeLast()
    }
    return nil
  }

  /// Leads to the first field that is wrong, but not away from one in which somebody writes since
  /// the form was sent.
  ///
  /// The next key would go into the other field, and take its error away.
  private mutating func focusFirst(after lastEdit: UInt64) {
    guard edits == lastEdit || focus == nil, let first = firstInvalid else { return }
    moveFocus(to: first)
  }
}
