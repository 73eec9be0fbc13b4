// SPDX-License-Identifier: Apache-2.0
// refused: main actor-isolated

import MainstayUI
import SwiftUI

/// A presenter belongs to the main actor.
nonisolated func read(_ presenter: ErrorPresenter) -> Int { presenter.count }
