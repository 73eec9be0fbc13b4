// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI

/// A form that a `FormModel` judges, as `form.mustache` draws it.
struct FormView: Sendable {
  /// What is wrong, as `summary.mustache` draws it.
  struct Summary: Sendable {
    struct Line: Sendable {
      let href: String
      let text: String
    }

    let element: String
    let title: String
    let lines: [Line]
  }

  /// The id of the element.
  let element: String
  /// Where it is sent.
  let target: String
  /// Where the script says what is being typed; nil where nobody has to know.
  let judge: String?
  let summary: Summary?
  let failure: RowView?
  let fields: [FieldView]
  /// The words on its button.
  let send: String
  /// Whether it is on its way.
  let isSending: Bool
}

extension FormView.Summary {
  /// - Parameters:
  ///   - summary: What is wrong.
  ///   - form: The id of the form.
  init(_ summary: FormSummary, of form: String) {
    self.init(
      element: "\(form)-summary", title: summary.title.string(),
      lines: summary.lines.map {
        Line(href: "#\(FieldView.element($0.field, of: form))", text: $0.string())
      })
  }
}

extension FieldView {
  /// The id of the field of a form that has a name.
  static func element(_ field: JSONPointer, of form: String) -> String {
    "\(form)-\(field.tokens.joined(separator: "-"))"
  }

  /// A field as its form says that it stands.
  ///
  /// - Parameters:
  ///   - field: The field.
  ///   - form: What judges it.
  ///   - element: The id of the form.
  ///   - isFocused: Whether it has the focus when the page is opened.
  @MainActor init<Values>(
    _ field: FormField<Values, String>, of form: FormModel<Values>, in element: String,
    isFocused: Bool
  ) {
    self.init(name: field.pointer.tokens.joined(separator: "-"), label: field.label.string())
    self.element = Self.element(field.pointer, of: element)
    value = form[field]
    checking = form.verdict(of: field).note?.string()
    error = form.error(for: field).flatMap { ErrorPresentation($0) }.map {
      [$0.message, $0.suggestion].compactMap(\.self).joined(separator: " ")
    }
    self.isFocused = isFocused
  }
}
