// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

@MainActor @Suite struct FormModelTests {
  private let form = FormModel(SignUp(), fields: SignUp.fields)

  @Test(.requirement("E25"))
  func `each edit updates the value, that field's error and the validity`() {
    let form = FormModel(SignUp.filled, fields: SignUp.fields)
    #expect(form.isValid && form.canSubmit)
    form.leave(SignUp.email)
    form.set(SignUp.email, "ada")
    #expect(form.values.email == "ada" && form[SignUp.email] == "ada")
    #expect(form.error(for: SignUp.email)?.name == "form.email")
    #expect(form.error(for: SignUp.email)?.field == "/email")
    #expect(!form.isValid && !form.canSubmit && form.firstInvalidField == "/email")
    form[SignUp.email] = "ada@example.com"
    #expect(form.error(for: SignUp.email) == nil && form.isValid)
    #expect(form.verdict(of: SignUp.email) == .valid && form.isEdited(SignUp.email))
  }

  @Test(.requirement("E26"))
  func `an empty field shows nothing and blocks, until the form was sent`() async {
    #expect(form.verdict(of: SignUp.email) == .empty)
    form.leave(SignUp.email)
    form.set(SignUp.email, "a")
    form.set(SignUp.email, "   \u{200B}")
    #expect(form.error(for: SignUp.email) == nil && form.summary == nil)
    #expect(!form.isValid && !form.canSubmit)
    #expect(await form.submit { _ in 1 } == nil)
    #expect(form.error(for: SignUp.email)?.name == "form.empty")
    #expect(form.summary?.lines.count == 5)
    #expect(Set(form.summary?.lines.map(\.id) ?? []).count == 5, "each is a mistake of its own")
  }

  @Test(.requirement("E27", "A34", "E32"))
  func `email, password and confirmation have their rules`() {
    form.leave(SignUp.email)
    form.leave(SignUp.password)
    form.leave(SignUp.confirmation)
    form.leave(SignUp.age)
    form.set(SignUp.email, "ada.example.com")
    form.set(SignUp.password, "1234567")
    form.set(SignUp.age, 12)
    #expect(form.error(for: SignUp.email)?.name == "form.email")
    #expect(form.error(for: SignUp.password)?.name == "form.too-short")
    #expect(form.error(for: SignUp.age)?.name == "form.too-young")
    form.set(SignUp.password, "12345678")
    form.set(SignUp.confirmation, "12345678")
    form.set(SignUp.age, 13)
    #expect(form.error(for: SignUp.password) == nil && form.error(for: SignUp.age) == nil)
    #expect(form.error(for: SignUp.confirmation) == nil)
  }

  @Test(.requirement("E27")) func `the confirmation is checked again when the password changes`() {
    let form = FormModel(SignUp.filled, fields: SignUp.fields)
    form.leave(SignUp.confirmation)
    form.set(SignUp.password, "another horse")
    #expect(form.error(for: SignUp.confirmation)?.name == "form.different")
    #expect(form.error(for: SignUp.password) == nil && !form.isValid)
    form.set(SignUp.confirmation, "another horse")
    #expect(form.isValid)
    form.set(SignUp.confirmation, "other")
    #expect(form.error(for: SignUp.confirmation)?.name == "form.different")
    form.set(SignUp.password, "other")
    #expect(form.error(for: SignUp.confirmation) == nil)
  }

  @Test(.requirement("E25"), arguments: FormErrorTiming.allCases)
  func `errors show when the timing says so`(_ timing: FormErrorTiming) async {
    let form = FormModel(SignUp(), fields: SignUp.fields, showing: timing)
    form.set(SignUp.email, "ada")
    #expect((form.error(for: SignUp.email) != nil) == (timing == .edited))
    form.leave(SignUp.email)
    #expect((form.error(for: SignUp.email) != nil) == (timing != .submitted))
    #expect(form.error(for: SignUp.password) == nil)
    await form.submit { _ in }
    #expect(form.error(for: SignUp.email)?.name == "form.email")
  }

  @Test(.requirement("E25")) func `moving the focus leaves the field before`() {
    form.focus = "/email"
    form.set(SignUp.email, "ada")
    #expect(form.error(for: SignUp.email) == nil && form.focus == "/email")
    form.focus = "/password"
    #expect(form.error(for: SignUp.email) != nil)
    form.set(SignUp.password, "short")
    form.focus = "/nowhere"
    #expect(form.error(for: SignUp.password) != nil && form.focus == nil)
  }

  @Test func `a mistake that stays is the same one, and another one is not`() {
    form.leave(SignUp.email)
    form.set(SignUp.email, "a")
    let first = form.error(for: SignUp.email)
    form.set(SignUp.email, "ad")
    #expect(first != nil && form.error(for: SignUp.email)?.id == first?.id)
    // Two mistakes that differ in their words alone.
    let field = FormField<Account, String>(
      "name", \.name, label: "Name",
      rules: [
        .check("It has no a.") { name, _ in name.contains("a") },
        .check("It has no b.") { name, _ in name.contains("b") },
      ])
    let other = FormModel(Account(), fields: FormFields { field }, showing: .edited)
    other.set(field, "x")
    #expect(other.error(for: field)?.message == "It has no a.")
    other.set(field, "a")
    #expect(other.error(for: field)?.message == "It has no b.")
  }

  @Test(.requirement("E20")) func `the summary says the same as the fields, in their order`() async
  {
    form.set(SignUp.age, 5)
    form.set(SignUp.email, "ada")
    form.leave(SignUp.age)
    form.leave(SignUp.email)
    let summary = form.summary
    #expect(summary?.lines.map(\.field) == ["/email", "/age"])
    #expect(summary?.lines.map(\.error) == shown && shown.count == 2)
    #expect(
      summary?.announcement(in: Locale(identifier: "en")) == """
        2 entries need your attention
        Email: This is not an email address. Enter one such as name@example.com.
        Age: You have to be at least 13 years old. Check the age that you entered.
        """)
    #expect(
      summary?.lines.first?.string(in: Locale(identifier: "de"))
        == "Email: Das ist keine E-Mail-Adresse. Geben Sie eine wie name@example.com ein.")
    form.set(SignUp.age, 15)
    #expect(form.summary?.title.description == "One entry needs your attention")
    form.set(SignUp.email, "ada@example.com")
    #expect(form.summary == nil)
  }

  @Test func `resetting begins anew`() async {
    form.set(SignUp.email, "ada")
    await form.submit { _ in }
    #expect(form.summary != nil && form.focus != nil)
    form.reset(to: SignUp())
    #expect(form.summary == nil && form.focus == nil && form.values == SignUp())
    #expect(!form.isEdited(SignUp.email) && form.verdict(of: SignUp.email) == .empty)
    form.reset(to: .filled)
    #expect(form.isValid)
  }

  @Test func `a field that the form does not have is written, and judged by nobody`() {
    let other = FormField<SignUp, String>("other", \.name, label: "Other", rules: [.length(9...)])
    form.set(other, "x")
    form.leave(other)
    #expect(form[other] == "x" && form.values.name == "x")
    #expect(form.error(for: other) == nil && form.verdict(of: other) == .valid)
    #expect(!form.isEdited(other))
  }

  @Test(.requirement("A13")) func `tells observers of a field of that field alone`() {
    let (email, name, validity) = (Flag(), Flag(), Flag())
    func observe(_ flag: Flag, _ read: () -> Void) {
      withObservationTracking(read) { flag.raise() }
    }
    observe(email) { _ = form.error(for: SignUp.email) }
    observe(name) { _ = form[SignUp.name] }
    observe(validity) { _ = form.isValid }
    form.set(SignUp.email, "ada")
    #expect(email.isRaised && !name.isRaised && !validity.isRaised)
    form.set(SignUp.name, "Ada")
    #expect(name.isRaised)
    form.reset(to: .filled)
    #expect(validity.isRaised)
  }

  @Test(.requirement("A13")) func `tells observers of a field that depends on another`() {
    let form = FormModel(SignUp.filled, fields: SignUp.fields)
    let (confirmation, summary) = (Flag(), Flag())
    withObservationTracking {
      _ = form.verdict(of: SignUp.confirmation)
    } onChange: {
      confirmation.raise()
    }
    withObservationTracking {
      _ = form.summary
    } onChange: {
      summary.raise()
    }
    form.set(SignUp.password, "another horse")
    #expect(confirmation.isRaised && summary.isRaised)
  }

  @Test(.requirement("A13")) func `tells observers of the summary only what is new in it`() {
    form.leave(SignUp.email)
    form.set(SignUp.email, "a")
    let summary = Flag()
    withObservationTracking {
      _ = form.summary
    } onChange: {
      summary.raise()
    }
    form.set(SignUp.email, "ad")
    form.set(SignUp.email, "ada")
    #expect(!summary.isRaised, "the same mistake")
    form.set(SignUp.email, "ada@example.com")
    #expect(summary.isRaised && form.summary == nil)
  }

  @Test func `asking for the focus again tells observers, though the field has it`() {
    for number in 1...2 {
      let asked = Flag()
      withObservationTracking {
        _ = form.focusRequests
      } onChange: {
        asked.raise()
      }
      form.requestFocus("/email")
      #expect(asked.isRaised && form.focusRequests == number && form.focus == "/email")
    }
    form.requestFocus("/password")
    #expect(form.focus == "/password")
    form.set(SignUp.email, "ada")
    #expect(form.error(for: SignUp.email) != nil, "it was left")
  }

  @Test func `a field can be bound by its key path`() {
    let path: ReferenceWritableKeyPath<FormModel<SignUp>, String> = \.[SignUp.email]
    form[keyPath: path] = "ada@example.com"
    #expect(form.values.email == "ada@example.com" && form[keyPath: path] == form.values.email)
    #expect(form.verdict(of: SignUp.email) == .valid)
    let same: ReferenceWritableKeyPath<FormModel<SignUp>, String> = \.[SignUp.email]
    #expect(path == same && path != \.[SignUp.name])
  }

  private var shown: [AppError] {
    [form.error(for: SignUp.email), form.error(for: SignUp.age)].compactMap(\.self)
  }
}
