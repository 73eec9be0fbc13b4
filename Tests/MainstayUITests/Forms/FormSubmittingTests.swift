// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

@MainActor @Suite(.ends(withinMinutes: 5)) struct FormSubmittingTests {
  private let form = FormModel(SignUp.filled, fields: SignUp.fields)

  /// An operation that ends when the test says so, and how.
  @MainActor final class Sending {
    private var calls: [CheckedContinuation<Void, any Error>] = []
    private(set) var values: [SignUp] = []
    private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []

    func send(_ values: SignUp) async throws -> String {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        calls.append(continuation)
        self.values.append(values)
        for watcher in watchers where watcher.0 <= calls.count { watcher.1.resume() }
        watchers.removeAll { $0.0 <= calls.count }
      }
      return values.name
    }

    func begun(_ number: Int) async {
      guard calls.count < number else { return }
      await withCheckedContinuation { watchers.append((number, $0)) }
    }

    func end(_ number: Int, _ result: Result<Void, any Error>) {
      calls[number - 1].resume(with: result)
    }
  }

  /// What a service answers that refuses fields, as HTTP's errors become `AppError`s.
  private func refusal(_ fields: (JSONPointer, String)...) -> AppError {
    AppError(
      code: "http.422", kind: .validation, disposition: .permanent,
      title: "Please check what you entered", message: "The service refused it.",
      details: "HTTP status 422", field: fields.first?.0,
      underlying: fields.map {
        AppError.validation(LocalizableText(verbatim: $0.1), field: $0.0, code: "http.field")
      })
  }

  @Test(.requirement("E20", "E32"))
  func `nothing is sent while a field is not valid, and the first of them has the focus`() async {
    let form = FormModel(SignUp(), fields: SignUp.fields)
    form.set(SignUp.name, "Ada")
    form.set(SignUp.email, "ada")
    let sent = Flag()
    let result: Int? = await form.submit { _ in
      sent.raise()
      return 1
    }
    #expect(result == nil && !sent.isRaised && !form.isSubmitting)
    #expect(form.focus == "/email" && form.firstInvalidField == "/email")
    #expect(form.submissionError == nil && form.summary?.lines.count == 4)
  }

  @Test(.requirement("E20", "E32")) func `each submission that does not succeed is announced`()
    async
  {
    let form = FormModel(SignUp.filled, fields: SignUp.fields)
    form.set(SignUp.email, "ada")
    let english = Locale(identifier: "en")
    for number in 1...2 {
      await form.submit { _ in }
      // It begins and ends at once, so nobody sees that it was being sent.
      #expect(form.failedSubmissions == number && !form.isSubmitting)
      #expect(form.announcement(in: english) == form.summary?.announcement(in: english))
    }
    form.set(SignUp.email, "ada@example.com")
    await form.submit { _ in throw AppError.offline() }
    #expect(form.failedSubmissions == 3 && form.summary == nil)
    #expect(form.announcement(in: english) == AppError.offline().message.string(in: english))
    await form.submit { _ in throw CancellationError() }
    #expect(form.failedSubmissions == 3 && form.announcement(in: english) == nil)
    await form.submit { _ in }
    #expect(form.failedSubmissions == 3 && form.hasSucceeded)
  }

  @Test(.requirement("A58")) func `submitting twice at once runs once`() async {
    let sending = Sending()
    let first = Task { await form.submit { try await sending.send($0) } }
    await sending.begun(1)
    #expect(form.isSubmitting && !form.canSubmit)
    #expect(await form.submit { try await sending.send($0) } == nil)
    sending.end(1, .success(()))
    #expect(await first.value == "Ada")
    #expect(sending.values == [.filled] && !form.isSubmitting && form.hasSucceeded)
    form.set(SignUp.name, "Eve")
    #expect(!form.hasSucceeded)
  }

  @Test(.requirement("E20", "E21"))
  func `what a service says about fields stands under them until they change`() async {
    await form.submit { [refusal] _ in
      throw refusal(("/email", "It is taken."), ("/name", "It is rude."), ("/name", "It is long."))
    }
    #expect(form.submissionError == nil && form.focus == "/name")
    #expect(
      form.errors(for: SignUp.name).map(\.message.description) == ["It is rude.", "It is long."])
    #expect(form.error(for: SignUp.email)?.message.description == "It is taken.")
    #expect(form.verdict(of: SignUp.email) == .refused && !form.isValid && form.canSubmit)
    #expect(form.summary?.lines.map(\.field) == ["/name", "/name", "/email"])
    form.set(SignUp.email, "eve@example.com")
    #expect(form.error(for: SignUp.email) == nil && form.error(for: SignUp.name) != nil)
    // A service may think otherwise about the same value.
    #expect(await form.submit { $0.name } == "Ada")
    #expect(form.summary == nil && form.isValid)
  }

  @Test(.requirement("E20")) func `the nearest field around a place has its error`() async {
    struct Order: Sendable { var items = ["a", "b"] }
    let first = FormField<Order, String>(
      "/items/0/name", label: "First", get: { $0.items.first ?? "" },
      set: { if !$0.items.isEmpty { $0.items[0] = $1 } })
    let all = FormField<Order, [String]>("items", \.items, label: "Items")
    let form = FormModel(
      Order(),
      fields: FormFields {
        first
        all
      })
    await form.submit { [refusal] _ in
      throw refusal(("/items/0/name", "One."), ("/items/1/name", "Two."), ("/items/0", "Three."))
    }
    #expect(form.errors(for: first).map(\.message.description) == ["One."])
    #expect(form.errors(for: all).map(\.message.description) == ["Two.", "Three."])
    form.set(first, "c")
    #expect(form.errors(for: first).isEmpty && form.values.items == ["c", "b"])
  }

  @Test(.requirement("E20"))
  func `errors of fields that the form does not have are the submission's`() async {
    await form.submit { [refusal] _ in
      throw refusal(
        ("/email", "It is taken."), ("/captcha", "It is wrong."), ("/plan", "It is full."))
    }
    #expect(form.errors(for: SignUp.email).count == 1)
    #expect(form.submissionError?.message.description == "It is wrong.\nIt is full.")
    #expect(
      form.submissionError?.field == nil && form.submissionError?.details == "HTTP status 422")
    #expect(form.submissionError?.aboutFields.map(\.field) == ["/captcha", "/plan"])
    await form.submit { [refusal] _ in throw refusal(("/captcha", "It is wrong.")) }
    #expect(form.submissionError?.message.description == "It is wrong.")
    #expect(form.summary == nil)
    form.dismissSubmissionError()
    #expect(form.submissionError == nil)
  }

  @Test func `what is said of several fields that are not there has the reader's words`() async {
    let texts = [
      LocalizableText(key: "error.form.empty.message", english: "This is empty."),
      LocalizableText(key: "error.form.refused.message", english: "It was not accepted."),
    ]
    await form.submit { _ in
      throw AppError(
        code: "http.422", kind: .validation, disposition: .permanent, title: "T", message: "M.",
        underlying: zip(["/captcha", "/plan"] as [JSONPointer], texts).map {
          AppError.validation($1, field: $0)
        })
    }
    let german = Locale(identifier: "de_DE")
    let words = form.submissionError?.message
    #expect(
      words?.string(in: german) == texts.map { $0.string(in: german) }.joined(separator: "\n"))
    #expect(words?.description == "This is empty.\nIt was not accepted.")
    #expect(words?.string(in: german) != words?.description)
  }

  @Test(.requirement("E20")) func `other failures are the submission's, and told`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let form = FormModel(SignUp.filled, fields: SignUp.fields, monitor: monitor)
    await form.submit("Sign up") { _ in throw AppError.http(status: 503, isRepeatable: true) }
    #expect(form.submissionError?.httpStatus == 503 && form.isValid && form.canSubmit)
    #expect(form.submissionError?.context.map(\.operation) == ["Sign up"])
    await form.submit("Sign up") { [refusal] _ in throw refusal(("/email", "It is taken.")) }
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.operation) == ["Sign up"], "a person's mistake is nobody's business")
    #expect(await form.submit { $0.name } == "Ada")
    #expect(form.submissionError == nil)
  }

  @Test func `a mistake in a field that the form does not have is told to the team`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let form = FormModel(SignUp.filled, fields: SignUp.fields, monitor: monitor)
    await form.submit("Sign up") { _ in throw AppError.validation("Bad.", field: "/e_mail") }
    #expect(form.submissionError?.message == "Bad.")
    await form.submit("Sign up again") { [refusal] _ in
      throw refusal(("/email", "It is taken."), ("/e_mail", "It is bad."))
    }
    await form.submit("Sign up at last") { [refusal] _ in throw refusal(("/email", "Taken.")) }
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.operation) == ["Sign up", "Sign up again"])
  }

  @Test(
    .requirement("E8", "E12", "T4", "T18"),
    arguments: [CancellationError() as any Error, AppError.cancelled()])
  func `a cancelled submission shows nothing`(_ error: any Error) async {
    await form.submit { _ in throw error }
    #expect(form.submissionError == nil && form.summary == nil && !form.isSubmitting)
    #expect(!form.hasSucceeded && form.canSubmit)
  }

  @Test(.requirement("T18")) func `a real failure in a cancelled task is shown`() async {
    let sending = Sending()
    let run = Task { await form.submit { try await sending.send($0) } }
    await sending.begun(1)
    run.cancel()
    sending.end(1, .failure(AppError.http(status: 503, isRepeatable: true)))
    _ = await run.value
    #expect(form.submissionError?.httpStatus == 503)
  }

  @Test func `an error about a value that is gone is not shown, and nothing is lost`() async {
    let sending = Sending()
    let run = Task { await form.submit { try await sending.send($0) } }
    await sending.begun(1)
    form.set(SignUp.email, "eve@example.com")
    sending.end(1, .failure(refusal(("/email", "It is taken."))))
    _ = await run.value
    #expect(form.error(for: SignUp.email) == nil && form.isValid)
    #expect(form.submissionError?.message.key == "error.form.refused.message")
    #expect(form.submissionError?.aboutFields.map(\.message.description) == ["It is taken."])
  }

  @Test func `fields begin anew once they were sent, but for those edited meanwhile`() async {
    let sending = Sending()
    form.set(SignUp.name, "Eve")
    form.leave(SignUp.age)
    let run = Task { await form.submit { try await sending.send($0) } }
    await sending.begun(1)
    form.set(SignUp.email, "eve")
    form.leave(SignUp.email)
    sending.end(1, .success(()))
    #expect(await run.value == "Eve")
    #expect(!form.isEdited(SignUp.name) && form.isEdited(SignUp.email) && !form.hasSucceeded)
    form.set(SignUp.age, 5)
    #expect(form.verdict(of: SignUp.age) == .invalid)
    #expect(form.error(for: SignUp.age) == nil, "pristine again")
    #expect(form.error(for: SignUp.email)?.name == "form.email")
    #expect(sending.values.map(\.email) == ["ada@example.com"])
  }

  @Test(.requirement("T19")) func `the end of a submission before a reset changes nothing`() async {
    let endings: [Result<Void, any Error>] = [
      .success(()), .failure(AppError.http(status: 503, isRepeatable: true)),
      .failure(refusal(("/email", "No."))),
    ]
    for ending in endings {
      let sending = Sending()
      let form = FormModel(SignUp.filled, fields: SignUp.fields)
      let old = Task { await form.submit { try await sending.send($0) } }
      await sending.begun(1)
      form.reset(to: .filled)
      #expect(!form.isSubmitting)
      let new = Task { await form.submit { try await sending.send($0) } }
      await sending.begun(2)
      sending.end(1, ending)
      _ = await old.value
      #expect(form.isSubmitting && !form.hasSucceeded)
      #expect(form.submissionError == nil && form.summary == nil)
      sending.end(2, .success(()))
      _ = await new.value
      #expect(form.hasSucceeded)
    }
  }
}

/// Submissions that wait for rules that ask somebody else.
@MainActor @Suite(.ends(withinMinutes: 5)) struct FormWaitingTests {
  private let clock = ManualClock()
  private let service = NameService()
  private let field: FormField<Account, String>
  private let form: FormModel<Account>

  init() {
    let service = service
    field = FormField(
      "name", \.name, label: "Name",
      rules: [.ask("This is taken.") { name, _ in try await service.isFree(name) }])
    let field = field
    form = FormModel(Account(), fields: FormFields { field }, clock: clock)
  }

  @Test(.requirement("E32")) func `a submission asks at once and waits for the answer`() async {
    form.set(field, "ada")
    let run = Task { await form.submit { $0.name } }
    #expect(await service.asked(1) == ["ada"])
    #expect(form.isSubmitting)
    await service.answer(1, .success(true))
    #expect(await run.value == "ada")
    #expect(form.hasSucceeded)
  }

  @Test(.requirement("E32")) func `a refusal ends a submission that waits`() async {
    form.set(field, "ada")
    let run = Task { await form.submit { $0.name } }
    _ = await service.asked(1)
    await service.answer(1, .success(false))
    #expect(await run.value == nil)
    #expect(form.error(for: field)?.message == "This is taken.")
    #expect(form.focus == "/name" && !form.isSubmitting)
  }

  @Test func `an edit while it waits is asked about, and sent`() async {
    form.set(field, "ada")
    let run = Task { await form.submit { $0.name } }
    _ = await service.asked(1)
    form.set(field, "eve")
    #expect(await service.asked(2) == ["ada", "eve"], "at once, without the delay")
    await service.answer(1, .success(false))
    await service.answer(2, .success(true))
    #expect(await run.value == "eve")
  }

  @Test(.requirement("E8", "T4")) func `whoever is cancelled does not wait any longer`() async {
    form.set(field, "ada")
    let run = Task { await form.submit { $0.name } }
    _ = await service.asked(1)
    run.cancel()
    #expect(await run.value == nil)
    #expect(!form.isSubmitting && form.submissionError == nil && form.summary == nil)
    await service.answer(1, .success(true))
  }

  @Test func `who is cancelled before sends nothing`() async {
    form.set(field, "")
    let begin = Countdown(1)
    let sent = Flag()
    let run = Task {
      await begin.passed()
      return await form.submit { _ in sent.raise() } == nil
    }
    run.cancel()
    begin.count()
    #expect(await run.value)
    #expect(!sent.isRaised && !form.isSubmitting)
  }

  @Test(.requirement("T19")) func `a reset ends a submission that waits`() async {
    form.set(field, "ada")
    let run = Task { await form.submit { $0.name } }
    _ = await service.asked(1)
    form.reset(to: Account(name: "eve"))
    #expect(await run.value == nil)
    #expect(!form.isSubmitting && form.isValid)
    await service.answer(1, .success(false))
  }

  @Test func `a service that never answers keeps nobody from sending`() async {
    form.set(field, "ada")
    let run = Task { await form.submit { $0.name } }
    _ = await service.asked(1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    #expect(await run.value == "ada")
    await service.answer(1, .success(false))
  }
}
