// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// One mistake in one field of a document.
package struct FieldError: Sendable, Hashable, Codable {
  /// The field, such as `/quantity`.
  package let pointer: JSONPointer
  /// What is wrong with it and what is legal, in a sentence.
  package let detail: String

  package init(_ pointer: JSONPointer, _ detail: String) {
    self.pointer = pointer
    self.detail = detail
  }
}

/// All the mistakes of a document at once; one or more.
package struct FieldErrors: AppErrorConvertible, Hashable {
  package let errors: [FieldError]

  package init(errors: [FieldError]) { self.errors = errors }

  package var appError: AppError {
    let text = errors.map(\.detail).joined(separator: " ")
    return AppError(
      code: "inventory.fields", kind: .validation, disposition: .permanent, severity: .info,
      title: "Please check what you entered", message: LocalizableText(verbatim: text),
      field: errors.first?.pointer, underlying: [self])
  }
}

extension AppError {
  /// The mistakes in single fields, for a form to show under each; none where it is about no field.
  package var fieldErrors: [FieldError] {
    if let all: FieldErrors = cause() { return all.errors }
    return field.map { [FieldError($0, message.description)] } ?? []
  }
}
