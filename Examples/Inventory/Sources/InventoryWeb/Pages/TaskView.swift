// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// What became of asking for something, as `task.mustache` draws it.
struct TaskView: Sendable {
  /// What the page says of a task, where no error does.
  struct Words: Sendable {
    let loading: String
    var recovering: String?
    var idle: String?
    var empty: String?
  }

  /// Said while it is under way.
  let busy: String?
  let answer: String?
  /// Said where there is no answer.
  let nothing: String?
  let failure: RowView?
}

extension TaskView {
  /// - Parameters:
  ///   - state: What is shown of the task.
  ///   - isRecovering: Whether something is done about an error of it.
  ///   - words: What the page says.
  ///   - text: What is read of a value.
  ///   - failure: How an error is drawn; nil where it is shown elsewhere.
  init<Value>(
    _ state: TaskState<Value>, isRecovering: Bool = false, words: Words,
    text: (Value) -> String, failure: (AppError) -> RowView? = { _ in nil }
  ) {
    let wait = isRecovering ? words.recovering ?? words.loading : words.loading
    switch state {
    case .idle: self.init(busy: nil, answer: nil, nothing: words.idle, failure: nil)
    case .loading(let previous):
      self.init(busy: wait, answer: previous.map(text), nothing: nil, failure: nil)
    case .loaded(let value):
      self.init(busy: nil, answer: text(value), nothing: nil, failure: nil)
    case .empty: self.init(busy: nil, answer: nil, nothing: words.empty, failure: nil)
    case .failed(let error, let previous):
      self.init(busy: nil, answer: previous.map(text), nothing: nil, failure: failure(error))
    }
  }
}
