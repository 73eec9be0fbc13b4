// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about forms.

import Mainstay
import MainstayUI

struct Service: Sendable {
  func signUp(_ values: SignUp) async throws -> String { values.email }
  func isFree(_ name: String) async throws -> Bool { !name.isEmpty }
}

let service = Service()

// snippet.fields
nonisolated struct SignUp: Sendable {
  var email = ""
  var password = ""
  var confirmation = ""

  static let email = FormField<Self, String>(
    "email", \.email, label: "Email", rules: [.required, .email])
  static let password = FormField<Self, String>(
    "password", \.password, label: "Password", rules: [.required, .password])
  static let confirmation = FormField<Self, String>(
    "confirmation", \.confirmation, label: "Password again",
    rules: [.required, .equal(to: password)])

  static let fields = FormFields<Self> {
    email
    password
    confirmation
  }
}

// snippet.profile
nonisolated struct Profile: Sendable {
  var name = ""
  var age: Int?

  static let age = FormField<Self, Int?>(
    "age", \.age, label: "Age",
    rules: [.required, .ifPresent(.minimumAge(13).saying("Ask your parents to join."))])

  // snippet.ask
  static let name = FormField<Self, String>(
    "name", \.name, label: "User name",
    rules: [
      .required, .length(3...20),
      .ask("This name is taken.", suggestion: "Choose another one.") { name, _ in
        try await service.isFree(name)
      },
    ])
}

// snippet.model
let form = FormModel(SignUp(), fields: SignUp.fields)
form.set(SignUp.email, "ada@example.com")
let account = await form.submit("Sign up") { try await service.signUp($0) }
// snippet.hide

print(account ?? form.summary?.announcement() ?? "")
