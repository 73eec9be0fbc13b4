// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

/// What a screen reader is told of answers that come after the field was left.
@MainActor @Suite(.ends(withinMinutes: 5)) struct FormNewsTests {
  private let english = Locale(identifier: "en")
  private let clock = ManualClock()
  private let service = NameService()
  private let name: FormField<Account, String>
  private let form: FormModel<Account>

  init() {
    let service = service
    let team = FormField<Account, String>("team", \.team, label: "Team")
    let name = FormField<Account, String>(
      "name", \.name, label: "Name",
      rules: [
        .ask("This is taken.", suggestion: "Choose another one.") { name, _ in
          try await service.isFree(name)
        }
      ])
    self.name = name
    form = FormModel(
      Account(),
      fields: FormFields {
        name
        team
      }, clock: clock)
  }

  /// The name is entered, and asked about.
  private func enter(_ text: String, asked number: Int) async {
    form.focus = "/name"
    form.set(name, text)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(300))
    _ = await service.asked(number)
  }

  /// Returns once nobody is asked any more.
  private func answer(_ number: Int, _ result: Result<Bool, any Error>) async {
    await change(of: { _ = form.verdict(of: name) }) {
      Task { [service] in await service.answer(number, result) }
    }
  }

  private var news: String? { form.lateNews(about: name, in: english) }

  @Test func `a mistake that is found after the field was left is said with its name`() async {
    await enter("ada", asked: 1)
    form.focus = "/team"
    #expect(news == nil, "nobody knows yet")
    await answer(1, .success(false))
    #expect(news == "Name: This is taken. Choose another one.")
    form.set(name, "eve")
    #expect(news == nil, "it is about a value that is gone")
  }

  @Test func `that it could not be checked is said as well`() async {
    await enter("ada", asked: 1)
    form.focus = "/team"
    await answer(1, .failure(AppError.http(status: 503, isRepeatable: true)))
    #expect(news == "Name: This could not be checked. You can go on.")
  }

  @Test func `whoever is still in the field, or sends the form, is told otherwise`() async {
    await enter("ada", asked: 1)
    await answer(1, .success(false))
    #expect(news == nil && form.verdict(of: name) == .invalid)
    await enter("eve", asked: 2)
    form.focus = "/team"
    var run: Task<String?, Never>?
    await change(of: { _ = form.isSubmitting }) {
      run = Task { await form.submit { $0.name } }
    }
    await service.answer(2, .success(false))
    #expect(await run?.value == .some(nil) && news == nil)
    #expect(form.announcement(in: english)?.contains("This is taken.") == true)
  }
}
