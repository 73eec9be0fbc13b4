// SPDX-License-Identifier: Apache-2.0

import Mainstay

// Rules that ask somebody else: the tasks and the timer behind what the machine decides.

extension FormModel {
  func perform(_ action: FormStateMachine.Action) {
    switch action {
    case .ask(let field, let rule, let run): ask(field, rule: rule, run: run)
    case .stop(let run): tasks.removeValue(forKey: run)?.cancel()
    case .giveUp(let field, let run):
      tasks.removeValue(forKey: run)?.cancel()
      tell(.timeout(), about: field)
    }
  }

  private func ask(_ field: Int, rule: Int, run: UInt64) {
    let (values, answer) = (current, fields[field].asks[rule].answer)
    tasks[run] = Task { [weak self] in
      let result: Result<AppError?, any Error>
      do { result = .success(try await answer(values)) } catch { result = .failure(error) }
      self?.take(result, of: run, field)
    }
  }

  private func take(_ result: Result<AppError?, any Error>, of run: UInt64, _ field: Int) {
    // One that was stopped is not there any more: neither its answer nor its error is heeded.
    guard tasks.removeValue(forKey: run) != nil else { return }
    follow(machine.answer(run, meaning(of: result, field), now: timeline.now))
  }

  private func meaning(
    of result: Result<AppError?, any Error>, _ field: Int
  ) -> FormStateMachine.Answer {
    switch result {
    case .success(let mistake): return mistake.map { .mistake($0) } ?? .passed
    case .failure(let error):
      let mapped = (mapping ?? .current).map(error, at: SourceSite())
      if mapped.kind == .validation {
        return .mistake(mapped.about(field: fields[field].pointer))
      }
      if !mapped.isCancellation { tell(mapped, about: field) }
      return .unsure
    }
  }

  /// Nobody sees that a field could not be checked, so the team has to know.
  private func tell(_ error: AppError, about field: Int) {
    monitor?.capture(shown: error, during: "Check \(fields[field].pointer)", at: error.site)
  }

  func schedule() {
    timer.set(machine.nextChange) { [weak self] in
      guard let self else { return }
      follow(machine.advance(to: timeline.now))
    }
  }
}
