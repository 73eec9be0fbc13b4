// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayUI
import Observation

/// What one browser sees of errors, toasts and questions; nothing that matters lives here.
@MainActor final class Screen {
  /// Something that a form asks for, to be done as often as somebody asks for it.
  typealias Work = @Sendable () async throws -> Done

  /// Finds out whether something was done, and says how far that is.
  typealias Check = @MainActor @Sendable (ActionProgress) async throws -> Done

  /// What the person is told of something that was done.
  struct Done: Sendable {
    /// A sentence; nil where it was done before, and so was told before.
    let text: String?

    init(_ text: String?) { self.text = text }
  }

  /// How many questions are remembered with their answers.
  static let maximumQuestions = 60

  // A page is drawn anew for each error, so none takes along the next.
  private(set) lazy var errors = ErrorPresenter(
    gap: .zero, clock: clock, mapping: .inventory, monitor: monitor
  ) { [weak self] _, error, progress in
    try await self?.check(error, progress) ?? .unchanged
  }
  let toasts: Toasts
  private let monitor: ErrorMonitor
  let clock: any Clock<Duration>
  /// What asks whether something was done, by the error that left it open.
  private var checks: [(error: ErrorPresentation.ID, check: Check)] = []
  private let changed: () -> Void
  /// What the person plays with in the gallery.
  private(set) lazy var gallery = GalleryLive(clock: clock) { [weak self] in self?.changed() }
  private var questions: [(question: Question, model: TaskModel<FeatureAnswer>)] = []

  /// - Parameters:
  ///   - monitor: Told of what the person sees of errors, and of what they choose.
  ///   - clock: The clock by which toasts go away, and waiting ends.
  ///   - changed: Called when what is shown has changed.
  init(
    monitor: ErrorMonitor, clock: any Clock<Duration>, changed: @escaping () -> Void
  ) {
    self.clock = clock
    self.monitor = monitor
    self.changed = changed
    toasts = Toasts(clock: clock)
    watch()
  }

  /// Does something, and shows what became of it.
  func perform(_ work: @escaping Work) async {
    do {
      tell(try await work())
    } catch {
      present(error, work)
    }
  }

  /// Says that something was done.
  func tell(_ done: Done) {
    if let text = done.text { toasts.show(.success, LocalizableText(verbatim: text)) }
  }

  /// Puts an error before the person, who may have the same done once more.
  func present(_ error: any Error, _ work: @escaping Work) {
    errors.present(AppError.from(error, mapping: .inventory).helped) { [weak self] in
      await self?.perform(work)
    }
  }

  /// Puts an error before the person that leaves open whether something was done.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - check: Finds out whether it was done.
  func present(_ error: any Error, checking check: @escaping Check) {
    let error = AppError.from(error, mapping: .inventory).helped
    checks.append((error.id, check))
    if checks.count > ErrorPresenter.capacity { checks.removeFirst() }
    errors.present(error)
  }

  /// Whether somebody can find out what became of what failed.
  func canCheck(_ error: ErrorPresentation.ID) -> Bool { checks.contains { $0.error == error } }

  private func check(
    _ error: AppError, _ progress: ActionProgress
  ) async throws -> ErrorPresenter.ActionResult {
    guard let check = checks.first(where: { $0.error == error.id })?.check else {
      return .unchanged
    }
    tell(try await check(progress))
    checks.removeAll { $0.error == error.id }
    return .settled
  }

  /// Calls back once for all changes that happen together, and goes on watching.
  private func watch() {
    withObservationTracking {
      _ = view
    } onChange: { [weak self] in
      Task { @MainActor in
        self?.watch()
        self?.changed()
      }
    }
  }
}

// Questions to the service.
extension Screen {
  /// How long a page waits for an answer before it says that it is asking.
  static let patience = Duration.seconds(1)

  /// The answer to a question, and what became of asking.
  func state(of question: Question) -> TaskState<FeatureAnswer> {
    questions.first { $0.question == question }?.model.state ?? .idle
  }

  /// Asks the service, and returns when it has answered or the page should not wait any longer.
  func ask(_ question: Question, _ operation: @escaping TaskModel<FeatureAnswer>.Operation) async {
    let model = model(of: question)
    guard !model.isLoading else { return }
    await waiting { [weak self] in
      await model.run("Ask \(question.feature.rawValue)", operation: operation)
      self?.settle(model)
    }
  }

  /// A failure goes to the dialog, where it can be tried again.
  private func settle(_ model: TaskModel<FeatureAnswer>) {
    changed()
    guard let error = model.error else { return }
    errors.present(error.helped) { [weak self] in
      await self?.waiting {
        await model.retry()
        self?.settle(model)
      }
    }
  }

  /// Begins some work, and returns when it is done or a page should not wait any longer.
  func waiting(_ work: @escaping @MainActor () async -> Void) async {
    let (ending, end) = AsyncStream.makeStream(of: Void.self)
    Task {
      await work()
      end.finish()
    }
    await withTaskGroup { group in
      group.addTask { for await _ in ending {} }
      group.addTask { [clock] in try? await clock.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
  }

  private func model(of question: Question) -> TaskModel<FeatureAnswer> {
    if let known = questions.first(where: { $0.question == question }) { return known.model }
    let model = TaskModel<FeatureAnswer>(mapping: .inventory)
    questions.append((question, model))
    if questions.count > Self.maximumQuestions { questions.removeFirst() }
    return model
  }
}
