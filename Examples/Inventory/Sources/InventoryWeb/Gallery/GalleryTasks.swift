// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayUI

/// The states of a task.
@MainActor enum GalleryTasks {
  static let words = TaskView.Words(
    loading: "Loading…", recovering: "Something went wrong. It is being put right…",
    idle: "Nothing was loaded yet.", empty: "There is nothing here.")

  private static let value = "12 books are in the hall."

  static func states() async -> [GalleryState] {
    [
      state("idle", "Idle", "Nobody has asked yet.", model()),
      await loading("loading", "Loading", "The first time, so there is nothing to show.", []),
      await loading(
        "again", "Loading again", "The earlier answer stays meanwhile.", [.success(value)]),
      await settled("loaded", "Loaded", "There is an answer.", [.success(value)]),
      await settled("empty", "Empty", "There is an answer, and nothing in it.", [.success("")]),
      await settled(
        "failed", "Failed", "The first time, so the error is all.", [.failure(.timeout())]),
      await settled(
        "kept", "Failed again", "The earlier answer stays.",
        [.success(value), .failure(.timeout())]),
      await settled(
        "final", "Failed for good", "No repetition can help, so there is no Retry.",
        [.failure(.server(code: 410))]),
      await recovering(),
    ]
  }

  private static func model() -> TaskModel<String> { TaskModel(mapping: .inventory) }

  private static func state(
    _ name: String, _ caption: String, _ remark: String, _ model: TaskModel<String>
  ) -> GalleryState {
    var state = GalleryState("task", name, caption, remark)
    state.task = TaskView(model, in: state.place)
    return state
  }

  /// A task that has come to the last of these answers.
  private static func settled(
    _ name: String, _ caption: String, _ remark: String, _ answers: [Result<String, AppError>]
  ) async -> GalleryState {
    let model = model()
    for answer in answers { await model.run("Load") { try answer.get() } }
    return state(name, caption, remark, model)
  }

  /// A task that has come to these answers, and waits for the next.
  private static func loading(
    _ name: String, _ caption: String, _ remark: String, _ answers: [Result<String, AppError>]
  ) async -> GalleryState {
    let (model, begun, end) = (model(), Gate(), Gate())
    for answer in answers { await model.run("Load") { try answer.get() } }
    let run = Task {
      await model.run("Load") {
        begun.open()
        await end.pass()
        return value
      }
    }
    await begun.pass()
    let state = state(name, caption, remark, model)
    end.open()
    await run.value
    return state
  }

  private static func recovering() async -> GalleryState {
    let (model, begun, end) = (model(), Gate(), Gate())
    let plan = RecoveryPlan([
      RecoveryPlan.Step("Put it right", when: { _ in true }) { _ in
        begun.open()
        await end.pass()
      }
    ])
    let run = Task { await model.run("Load", recovery: plan) { throw AppError.timeout() } }
    await begun.pass()
    let state = state(
      "recovering", "Recovering", "A step of a plan is being done; then it runs once more.", model)
    end.open()
    await run.value
    return state
  }
}

extension TaskView {
  /// A task whose errors stand in a row beside its answer, with Retry where that can help.
  ///
  /// - Parameters:
  ///   - model: The task.
  ///   - place: Where it is drawn.
  @MainActor init(_ model: TaskModel<String>, in place: ErrorPlace) {
    let canRetry = model.canRetry
    self.init(
      model.state, isRecovering: model.isRecovering, words: GalleryTasks.words, text: \.self,
      failure: { error in
        ErrorPresentation(error).map { shown in
          let actions = shown.actions.filter { $0.id != RecoveryAction.retry.id || canRetry }
          return RowView(shown, choices: ChoicesView(actions, of: shown, in: place))
        }
      })
  }
}
