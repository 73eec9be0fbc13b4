// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// A storm of errors in front of a person; an error is shown ten times a second at most, so what
/// counts is that the rest costs little and keeps nothing.
enum PresenterScenarios {
  static let all = [
    Scenario("present-same", "`ErrorPresenter.present`, the error that is shown already") { count in
      await presenting(count) { _ in same }
    },
    Scenario("present-varied", "the same code in other words each time") { count in
      await presenting(count) { index in
        AppError(
          code: "save", kind: .server, disposition: .transient(), title: "Not saved",
          message: "Item \(index) could not be saved.")
      }
    },
    Scenario("present-new", "another error each time: 20 are kept, the others dropped") { count in
      let codes = (0..<1_000).map { ErrorCode("code-\($0)") ?? "code" }
      await presenting(count) { index in
        AppError(
          code: codes[index % 1_000], kind: .server, disposition: .transient(), title: "Not saved",
          message: "It could not be saved.")
      }
    },
  ]

  private static let same = AppError(
    code: "save", kind: .server, disposition: .transient(), title: "Not saved",
    message: "It could not be saved.")

  @MainActor private static func presenting(_ count: Int, _ error: (Int) -> AppError) {
    let presenter = ErrorPresenter()
    for index in 0..<count { presenter.present(error(index)) }
    precondition(presenter.count <= ErrorPresenter.capacity, "more is kept than may be")
    keep(presenter.droppedCount)
  }
}
