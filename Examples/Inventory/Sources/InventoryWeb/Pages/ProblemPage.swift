// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// What `problem.mustache` reads: why there is no page.
struct ProblemPage: Sendable {
  let tint: String
  let icon: String
  let message: String
  let suggestion: String?

  init(_ error: AppError) {
    // A cancellation is answered to nobody, so there is a presentation of everything else.
    let shown = ErrorPresentation(error)
    tint = shown?.tint.rawValue ?? ErrorPresentation.Tint.red.rawValue
    icon = shown?.icon ?? "exclamationmark.circle"
    message = error.message.description
    suggestion = error.suggestion?.description
  }
}
