// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension FormModel {
  /// Sends the form, once: waits for rules that ask, and runs the operation where all fields are
  /// valid.
  ///
  /// Nothing runs where a field is not valid: its mistake shows, and has the focus unless somebody
  /// is writing in another one by then. Errors about fields stand under them afterwards, any other
  /// is ``submissionError``, and a cancellation shows nothing. Whoever is cancelled while rules are
  /// asked does not wait any longer, and nothing is sent.
  ///
  /// - Parameters:
  ///   - doing: What is being done, such as "Sign up"; for logs and reports, never shown.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  ///   - operation: Sends the values.
  /// - Returns: What the operation returned; nil where it failed or did not run, also since a
  ///   submission is under way already.
  @discardableResult
  public func submit<T>(
    _ doing: String = "Submit form",
    fileID: String = #fileID, function: String = #function, line: Int = #line,
    operation: @MainActor (Values) async throws -> T
  ) async -> T? {
    guard let (submission, actions) = machine.submit(now: timeline.now) else { return nil }
    follow(actions)
    guard let ready = await ready(submission) else { return nil }
    do {
      let result = try await operation(ready.values)
      finish(submission, .succeeded)
      return result
    } catch {
      let site = SourceSite(fileID: fileID, function: function, line: line)
      let mapped = (mapping ?? .current).map(error, at: site)
        .adding(context: AppError.Frame(doing, site: site))
      // What stands under a field is a mistake of the person's, and nobody is told of it. Where the
      // form has no such field, the team has to know, or nobody can ever send it.
      if machine.isForTeam(mapped) { monitor?.capture(shown: mapped, during: doing, at: site) }
      finish(submission, mapped.isCancellation ? .cancelled : .failed(mapped))
      return nil
    }
  }

  /// Shows what went wrong with values that were sent by somebody else, such as by an outbox: as
  /// the end of a submission would.
  ///
  /// Errors about fields stand under them until an edit or the next submission, any other is
  /// ``submissionError``. Nothing happens while a submission is under way, nor with a cancellation,
  /// and no monitor is told.
  public func show(_ error: AppError) {
    machine.show(error)
    follow([])
  }

  private func finish(_ submission: UInt64, _ ending: FormStateMachine.Ending) {
    machine.finish(submission, ending)
    follow([])
  }

  /// Waits until nobody is asked any more; nil where nothing is to be sent.
  private func ready(_ submission: UInt64) async -> Ready? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter = Waiter(submission: submission, continuation: continuation)
        if Task.isCancelled { machine.abandon(submission) }
        follow([])
      }
    } onCancel: {
      Task { @MainActor in self.abandon(submission) }
    }
  }

  private func abandon(_ submission: UInt64) {
    machine.abandon(submission)
    follow([])
  }

  /// Goes on with a submission that waits, as soon as it can.
  func settleWaiter() {
    guard let waiter else { return }
    let ready: Ready?
    switch machine.settle() {
    case .waits: return
    case .none, .stopped: ready = nil
    case .sends(let submission): ready = Ready(submission: submission, values: current)
    }
    self.waiter = nil
    follow([])
    waiter.continuation.resume(returning: ready)
  }
}
