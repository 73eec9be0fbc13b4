// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

/// A service that answers when the test says so, and how.
actor NameService {
  private var calls: [(name: String, continuation: CheckedContinuation<Bool, any Error>)] = []
  private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []
  /// The names whose question was cancelled.
  nonisolated let cancelled = Log()
  nonisolated let ended = Log()

  /// Deaf to cancellation: it ends only as the test says.
  func isFree(_ name: String) async throws -> Bool {
    defer { ended.add(name) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        calls.append((name, continuation))
        for watcher in watchers where watcher.0 <= calls.count { watcher.1.resume() }
        watchers.removeAll { $0.0 <= calls.count }
      }
    } onCancel: {
      cancelled.add(name)
    }
  }

  /// Returns once so many questions were asked.
  func asked(_ count: Int) async -> [String] {
    if calls.count < count { await withCheckedContinuation { watchers.append((count, $0)) } }
    return calls.map(\.name)
  }

  func answer(_ number: Int, _ result: Result<Bool, any Error>) {
    calls[number - 1].continuation.resume(with: result)
  }
}

@MainActor @Suite(.ends(withinMinutes: 5)) struct FormAskingTests {
  private let clock = ManualClock()
  private let service = NameService()

  private func field(
    _ rules: [FormRule<Account, String>] = []
  ) -> FormField<Account, String> {
    FormField(
      "name", \.name, label: "Name",
      rules: [
        .required, .length(3...),
        .ask("This name is taken.", code: "test.taken") { [service] name, _ in
          try await service.isFree(name)
        },
      ] + rules)
  }

  private func form(
    _ field: FormField<Account, String>, monitor: ErrorMonitor? = nil
  ) -> FormModel<Account> {
    FormModel(
      Account(), fields: FormFields { field }, showing: .edited, monitor: monitor, clock: clock)
  }

  /// Enters a name, and returns once the service is asked about it.
  private func enter(
    _ name: String, in form: FormModel<Account>, _ field: FormField<Account, String>
  ) async {
    form.set(field, name)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(300))
    _ = await service.asked(1)
  }

  /// Returns once the field has another verdict than this.
  private func changed(
    _ form: FormModel<Account>, _ field: FormField<Account, String>,
    from verdict: FormFieldVerdict = .checking
  ) async {
    while form.verdict(of: field) == verdict { await change(of: form, field) }
  }

  private func change(of form: FormModel<Account>, _ field: FormField<Account, String>) async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = form.verdict(of: field)
      } onChange: {
        Task { @MainActor in continuation.resume() }
      }
    }
  }

  @Test(.requirement("E25")) func `a service is asked once the field stays as it is`() async {
    let field = field()
    let form = form(field)
    form.set(field, "ada")
    #expect(form.verdict(of: field) == .checking && !form.isValid && form.canSubmit)
    #expect(form.verdict(of: field).note?.key == "error.form.checking.message")
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(299))
    form.set(field, "adam")
    clock.advance(by: .milliseconds(1))
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .milliseconds(299), "it begins anew with the edit")
    clock.advance(by: .milliseconds(299))
    #expect(await service.asked(1) == ["adam"])
    await service.answer(1, .success(true))
    await changed(form, field)
    #expect(form.verdict(of: field) == .valid && form.isValid)
  }

  @Test(.requirement("E25")) func `a refusal of the service is the field's error`() async {
    let field = field()
    let form = form(field)
    await enter("ada", in: form, field)
    await service.answer(1, .success(false))
    await changed(form, field)
    #expect(form.verdict(of: field) == .invalid && !form.canSubmit)
    #expect(form.error(for: field)?.name == "test.taken")
    #expect(form.error(for: field)?.field == "/name")
  }

  @Test func `nobody is asked where another rule fails, or about the first value`() async {
    let field = field()
    let form = FormModel(Account(name: "first"), fields: FormFields { field }, clock: clock)
    #expect(await form.submit { $0.name } == "first")
    for value in ["ad", "", "first of all"] { form.set(field, value) }
    form.set(field, "ad")
    #expect(form.verdict(of: field) == .invalid)
    // Whoever waited to be asked would be now.
    #expect(await form.submit { $0.name } == nil)
    form.set(field, "adam")
    let run = Task { await form.submit { $0.name } }
    #expect(await service.asked(1) == ["adam"])
    await service.answer(1, .success(true))
    #expect(await run.value == "adam")
  }

  @Test(.requirement("T19")) func `the late answer of a superseded question never shows`() async {
    let answers: [Result<Bool, any Error>] = [
      .success(false), .success(true), .failure(AppError.offline()),
      .failure(AppError.validation("It is too late.")), .failure(CancellationError()),
    ]
    for late in answers {
      let (service, clock) = (NameService(), ManualClock())
      let field = FormField<Account, String>(
        "name", \.name, label: "Name",
        rules: [
          .ask("This is taken.", after: .zero) { name, _ in try await service.isFree(name) }
        ])
      let form = FormModel(Account(), fields: FormFields { field }, showing: .edited, clock: clock)
      form.set(field, "old")
      _ = await service.asked(1)
      form.set(field, "new")
      _ = await service.asked(2)
      await service.cancelled.lines(atLeast: 1)
      #expect(service.cancelled.lines == ["old"])
      await service.answer(1, late)
      await service.ended.lines(atLeast: 1)
      #expect(form.verdict(of: field) == .checking && form.error(for: field) == nil)
      // The opposite, so that the late one would be seen.
      let isFree = if case .success(true) = late { false } else { true }
      await service.answer(2, .success(isFree))
      await changed(form, field)
      #expect((form.error(for: field)?.message == "This is taken.") == !isFree)
      #expect(form.verdict(of: field) == (isFree ? .valid : .invalid))
    }
  }

  @Test(.requirement("T19")) func `an answer that comes after a reset never shows`() async {
    let field = field()
    let form = form(field)
    await enter("ada", in: form, field)
    form.reset(to: Account(name: "other"))
    await service.answer(1, .success(false))
    await service.ended.lines(atLeast: 1)
    #expect(form.verdict(of: field) == .valid && form.error(for: field) == nil)
  }

  @Test func `what could not be checked does not block, and the monitor is told`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let field = field()
    let form = form(field, monitor: monitor)
    await enter("ada", in: form, field)
    await service.answer(1, .failure(AppError.offline()))
    await changed(form, field)
    #expect(form.verdict(of: field) == .unchecked && form.isValid)
    #expect(form.error(for: field) == nil && form.verdict(of: field).note != nil)
    #expect(await form.submit { $0.name } == "ada")
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.operation) == ["Check /name"])
  }

  @Test func `nobody is told of a question that is not asked any more`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let field = field()
    let form = form(field, monitor: monitor)
    await enter("ada", in: form, field)
    form.set(field, "adam")
    await service.answer(1, .failure(AppError.offline()))
    await service.ended.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(300))
    _ = await service.asked(2)
    await service.answer(2, .failure(AppError.http(status: 503, isRepeatable: true)))
    await changed(form, field)
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.code) == ["http.503"])
  }

  @Test func `many fields are asked about at once, but not all`() async {
    struct Table: Sendable { var cells = Array(repeating: "", count: 20) }
    let service = service
    let cells = (0..<20).map { index in
      FormField<Table, String>(
        JSONPointer(tokens: ["\(index)"]), label: "Cell",
        rules: [.ask("This is taken.", after: .zero) { name, _ in try await service.isFree(name) }],
        get: { $0.cells[index] }, set: { $0.cells[index] = $1 })
    }
    let form = FormModel(
      Table(), fields: FormFields { for cell in cells { cell } }, clock: clock)
    for (index, cell) in cells.enumerated() { form.set(cell, "\(index)") }
    let run = Task { await form.submit { $0.cells.count } }
    for count in 1...20 {
      let asked = await service.asked(count)
      #expect(asked.count <= count + 7, "eight at once")
      await service.answer(count, .success(true))
    }
    #expect(await run.value == 20)
  }

  @Test func `a validation error of the service speaks for itself`() async {
    let field = field()
    let form = form(field)
    await enter("ada", in: form, field)
    await service.answer(1, .failure(AppError.validation("Ada lives here already.")))
    await changed(form, field)
    #expect(form.error(for: field)?.message == "Ada lives here already.")
    #expect(form.error(for: field)?.field == "/name")
  }

  @Test func `an answer that takes too long leaves the field unchecked`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let field = field()
    let form = form(field, monitor: monitor)
    await enter("ada", in: form, field)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    await changed(form, field)
    #expect(form.verdict(of: field) == .unchecked && form.isValid)
    await service.cancelled.lines(atLeast: 1)
    await service.answer(1, .success(false))
    await service.ended.lines(atLeast: 1)
    #expect(form.verdict(of: field) == .unchecked)
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.code) == ["network.timeout"])
  }

  @Test func `it asks again when a field changes that it depends on`() async {
    let service = service
    let team = FormField<Account, String>("team", \.team, label: "Team")
    let name = FormField<Account, String>(
      "name", \.name, label: "Name",
      rules: [
        .ask("This is taken.", dependingOn: [team.pointer], after: .zero) { name, values in
          try await service.isFree(values.team + "/" + name)
        }
      ])
    let form = FormModel(
      Account(name: "ada", team: "red"),
      fields: FormFields {
        team
        name
      }, clock: clock)
    form.set(team, "blue")
    #expect(await service.asked(1) == ["blue/ada"])
    form.set(name, "adam")
    #expect(await service.asked(2) == ["blue/ada", "blue/adam"])
    await service.answer(1, .success(true))
    await service.answer(2, .success(true))
    await changed(form, name)
    #expect(form.verdict(of: name) == .valid)
  }

  @Test func `a form that is gone cancels its questions`() async {
    let field = field()
    var form: FormModel<Account>? = form(field)
    form?.set(field, "ada")
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(300))
    _ = await service.asked(1)
    form = nil
    await service.cancelled.lines(atLeast: 1)
    #expect(service.cancelled.lines == ["ada"])
    await service.answer(1, .success(true))
  }
}
