// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

/// Refusals that come while the person writes on.
@MainActor @Suite(.ends(withinMinutes: 5)) struct FormFocusTests {
  private static let refusal = AppError.validation("It is taken.", field: "/email")

  @Test func `a late refusal leaves the focus with whoever is writing`() async {
    for isWriting in [true, false] {
      let form = FormModel(SignUp.filled, fields: SignUp.fields)
      let sending = FormSubmittingTests.Sending()
      let run = Task { await form.submit { try await sending.send($0) } }
      await sending.begun(1)
      form.focus = "/name"
      if isWriting { form.set(SignUp.name, "Eve") }
      sending.end(1, .failure(Self.refusal))
      _ = await run.value
      #expect(form.focus == (isWriting ? "/name" : "/email"))
      #expect(form.error(for: SignUp.email)?.message == "It is taken.")
      #expect(form.failedSubmissions == 1 && form.summary?.lines.map(\.field) == ["/email"])
    }
  }

  @Test func `whoever has left all fields since is led to the first that is wrong`() async {
    let form = FormModel(SignUp.filled, fields: SignUp.fields)
    let sending = FormSubmittingTests.Sending()
    let run = Task { await form.submit { try await sending.send($0) } }
    await sending.begun(1)
    form.focus = "/name"
    form.set(SignUp.name, "Eve")
    form.focus = nil
    sending.end(1, .failure(Self.refusal))
    _ = await run.value
    #expect(form.focus == "/email")
  }

  @Test func `an answer that a submission waits for leaves the focus with them, too`() async {
    let service = NameService()
    let name = FormField<Account, String>(
      "name", \.name, label: "Name",
      rules: [.ask("This is taken.") { name, _ in try await service.isFree(name) }])
    let team = FormField<Account, String>("team", \.team, label: "Team")
    let form = FormModel(
      Account(),
      fields: FormFields {
        name
        team
      }, clock: ManualClock())
    form.set(name, "ada")
    let run = Task { await form.submit { $0.name } }
    _ = await service.asked(1)
    form.focus = "/team"
    form.set(team, "Rome")
    await service.answer(1, .success(false))
    #expect(await run.value == nil)
    #expect(form.focus == "/team" && form.error(for: name)?.message == "This is taken.")
    #expect(form.failedSubmissions == 1)
  }
}
