// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// The form that most of these tests fill in.
struct SignUp: Sendable, Equatable {
  var name = ""
  var email = ""
  var age: Int?
  var password = ""
  var confirmation = ""

  static let name = FormField<Self, String>("name", \.name, label: "Name", rules: [.required])
  static let email = FormField<Self, String>(
    "email", \.email, label: "Email", rules: [.required, .email])
  static let age = FormField<Self, Int?>(
    "age", \.age, label: "Age", rules: [.required, .ifPresent(.minimumAge(13))])
  static let password = FormField<Self, String>(
    "password", \.password, label: "Password", rules: [.required, .password])
  static let confirmation = FormField<Self, String>(
    "confirmation", \.confirmation, label: "Password again",
    rules: [.required, .equal(to: password)])

  static let fields = FormFields<Self> {
    name
    email
    age
    password
    confirmation
  }

  static let filled = SignUp(
    name: "Ada", email: "ada@example.com", age: 36, password: "correct horse",
    confirmation: "correct horse")
}

/// A form with one field that a service is asked about, and one that it depends on.
struct Account: Sendable, Equatable {
  var name = ""
  var team = ""
}

extension AppError {
  /// The code, to be compared.
  var name: String { code.rawValue }
}
