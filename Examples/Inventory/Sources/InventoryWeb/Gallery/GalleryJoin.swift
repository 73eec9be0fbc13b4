// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// What the form of the gallery asks for; nobody gets it.
struct GalleryJoin: Sendable {
  var name = ""
  var email = ""
  var age = ""
  var password = ""
  var again = ""

  private static let taken: Set = ["ada", "grace"]

  static let nameField = FormField<Self, String>(
    "name", \.name, label: "Name",
    rules: [
      .required, .length(2...40),
      .ask("This name is taken.", suggestion: "Choose another one.") { name, _ in
        !taken.contains(name.lowercased())
      },
    ])
  static let emailField = FormField<Self, String>(
    "email", \.email, label: "Email", rules: [.required, .email])
  static let ageField = FormField<Self, String>(
    "age", \.age, label: "Age", rules: [.required, .wholeNumber(13...120)])
  static let passwordField = FormField<Self, String>(
    "password", \.password, label: "Password", rules: [.required, .password])
  static let againField = FormField<Self, String>(
    "again", \.again, label: "Password again", rules: [.required, .equal(to: passwordField)])

  /// In the order of the form.
  static let all = [nameField, emailField, ageField, passwordField, againField]

  static let fields = FormFields<Self> { for field in all { field } }

  /// What anybody may enter.
  static let good = GalleryJoin(
    name: "Katherine", email: "kj@example.com", age: "38", password: "a long password",
    again: "a long password")

  /// What stands in it as long as each field has something to complain about.
  static let bad = GalleryJoin(
    name: "K", email: "nobody", age: "12", password: "short", again: "other")
}

extension FormView {
  /// The form of the gallery, as its model says that it stands.
  ///
  /// - Parameters:
  ///   - form: What judges it.
  ///   - element: The id of the element.
  ///   - target: Where it is sent.
  ///   - judge: Where the script says what is being typed; nil where nobody has to know.
  @MainActor init(
    _ form: FormModel<GalleryJoin>, element: String, target: String, judge: String? = nil
  ) {
    self.init(
      element: element, target: target, judge: judge,
      summary: form.summary.map { Summary($0, of: element) },
      failure: form.submissionError.flatMap { ErrorPresentation($0) }.map { RowView($0) },
      fields: GalleryJoin.all.map { field in
        var view = FieldView(
          field, of: form, in: element,
          isFocused: judge != nil && form.focus == field.pointer && form.error(for: field) != nil)
        let isSecret = field == GalleryJoin.passwordField || field == GalleryJoin.againField
        // What was typed there belongs to nobody else, so no page has it.
        if isSecret { (view.value, view.isSecret) = ("", true) }
        if field == GalleryJoin.ageField { view.inputMode = "numeric" }
        view.isRequired = true
        return view
      },
      send: form.isSubmitting ? "Joining…" : "Join", isSending: form.isSubmitting)
  }
}
