// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

// STAND-IN: goes as soon as MainstayUI has it.
struct ActionProgress: Sendable {
  let action: RecoveryAction.ID
  let fraction: Double?
}

extension ErrorPresenter.Item {
  var progress: ActionProgress? { nil }
}
