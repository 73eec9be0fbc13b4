// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import InventoryCore
import Mainstay
import MainstayUI

/// What happens to every form: it is done, or drawn again with its mistakes, or its error is put on
/// the screen, above what was typed.
struct FormFlow: Sendable {
  /// Draws the page of a form again.
  typealias Again =
    @Sendable (
      _ visit: Visit, _ mistakes: [String: String], _ code: HTTPResponse.Status
    ) async throws -> Response

  let screens: Screens

  /// Does what a form asks for.
  ///
  /// - Parameters:
  ///   - visit: Who sent it, and the page to go back to.
  ///   - fields: The names of its fields; an error about others is put on the screen.
  ///   - again: Draws the page with what was typed, and the mistakes under their fields; nil for a
  ///     form without fields.
  ///   - work: What it asks for, to be repeated by Retry.
  /// - Returns: The page again, or the way to the page that the form came from.
  /// - Throws: What keeps the page from being drawn again; a cancellation.
  func answer(
    _ visit: Visit, fields: [String] = [], again: Again? = nil, _ work: @escaping Screen.Work
  ) async throws -> Response {
    let screen = await screens.screen(visit.screen)
    do {
      await screen.tell(try await work())
    } catch {
      if error.isCancellation { throw error }
      let error = AppError.from(error, mapping: .inventory)
      let mistakes = await Self.mistakes(in: error, fields)
      if mistakes.isEmpty { await screen.present(error, work) }
      if let again {
        do {
          return try await again(visit.onScreen, mistakes, error.answerStatus).known(as: visit)
        } catch {
          // Without the page there is no field for a mistake to stand under.
          if error.isCancellation || !mistakes.isEmpty { throw error }
        }
      }
    }
    return Response.seeOther(visit.page).known(as: visit)
  }

  /// What stands under each field, as a presenter that lives for this one answer says.
  @MainActor static func mistakes(in error: AppError, _ fields: [String]) -> [String: String] {
    let presenter = ErrorPresenter(mapping: .inventory)
    presenter.startShowing(Set(fields.map { JSONPointer(tokens: [$0]) }))
    if let all: FieldErrors = error.cause() {
      for mistake in all.errors {
        presenter.present(
          AppError.validation(
            LocalizableText(verbatim: mistake.detail), field: mistake.pointer))
      }
    } else {
      presenter.present(error)
    }
    var texts: [String: String] = [:]
    for name in fields {
      guard let shown = presenter.item(under: JSONPointer(tokens: [name]))?.presentation else {
        continue
      }
      texts[name] = [shown.message, shown.suggestion].compactMap { $0 }.joined(separator: " ")
    }
    return texts
  }
}
