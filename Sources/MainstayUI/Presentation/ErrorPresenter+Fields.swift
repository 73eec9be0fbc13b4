// SPDX-License-Identifier: Apache-2.0

public import Mainstay

// What stands under fields.
extension ErrorPresenter {
  /// Says that what stands under fields is shown: by a view that comes on screen, or by a page that
  /// is drawn next.
  ///
  /// What is presented about such a field from now on stands under it, and is read by
  /// ``item(under:)``. Whoever shows a field says so, and takes it back by ``stopShowing(_:)``: it
  /// is shown while anybody shows it.
  public func startShowing(_ fields: Set<JSONPointer>) {
    for field in fields { shownFields[field, default: 0] += 1 }
  }

  /// Takes one ``startShowing(_:)`` back; what stands under the fields stays for the next.
  public func stopShowing(_ fields: Set<JSONPointer>) {
    for field in fields {
      guard let count = shownFields[field] else { continue }
      shownFields[field] = count > 1 ? count - 1 : nil
    }
  }

  /// What of an error stands under fields, and the error as what is left of it says it.
  func split(
    _ error: AppError, _ style: ErrorPresentation.Style?
  ) -> (underFields: [AppError], rest: AppError?) {
    let mistakes = error.mistakes
    let underFields = mistakes.filter { isShown($0.field, style) }
    let others = mistakes.filter { !isShown($0.field, style) }
    // An error that is about one field says itself what is wrong with it.
    guard !mistakes.isEmpty, others.map(\.id) != [error.id] else { return ([], error) }
    return (underFields, others.isEmpty ? nil : error.telling(others))
  }

  private func isShown(_ field: JSONPointer?, _ style: ErrorPresentation.Style?) -> Bool {
    guard let field else { return false }
    return style.map { $0 == .field } ?? (shownFields[field] != nil)
  }
}
