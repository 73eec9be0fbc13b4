// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// What the gallery can put on a visitor's screen.
enum GalleryMessage: String, Sendable, CaseIterable {
  case retry, permanent, unsure, offline, info, success, warning, error, deed

  /// The words on the button.
  var label: String {
    switch self {
    case .retry: "An error that passes"
    case .permanent: "An error that stays"
    case .unsure: "An unknown outcome"
    case .offline: "No connection"
    case .info: "An info"
    case .success: "A success"
    case .warning: "A warning"
    case .error: "A failure"
    case .deed: "A success with a button"
    }
  }

  /// Puts it on a screen; what failed succeeds when it is done once more.
  @MainActor func raise(on screen: Screen) {
    let work: Screen.Work = { Screen.Done("This time it worked.") }
    switch self {
    case .retry: screen.present(AppError.timeout(), work)
    case .permanent: screen.present(AppError.server(code: 410), work)
    case .unsure:
      screen.present(
        AppError.timeout().with(disposition: .unknownOutcome),
        checking: { progress in
          for step in 1...4 {
            try await screen.clock.sleep(for: .milliseconds(250))
            progress.report(Double(step) / 4)
          }
          return Screen.Done("It had worked.")
        })
    case .offline: screen.present(AppError.offline(), work)
    case .info: screen.toasts.show(.info, "Something to know.")
    case .success: screen.toasts.show(.success, "It worked.")
    case .warning: screen.toasts.show(.warning, "It worked, but not all of it.")
    case .error: screen.toasts.show(.error, "It did not work.")
    case .deed:
      screen.toasts.show(.success, "It was thrown away.", action: GalleryToasts.undo) {
        screen.toasts.show(.info, "It is back.")
      }
    }
  }
}
