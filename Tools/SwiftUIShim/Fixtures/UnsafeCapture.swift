// SPDX-License-Identifier: Apache-2.0
// refused: risks causing data races

import MainstayUI
import SwiftUI

final class Counter {
  var count = 0
}

/// What is not `Sendable` stays with the view.
struct Counting: View {
  let toasts: Toasts

  var body: some View {
    Button("Count") {
      let counter = Counter()
      Task.detached { counter.count += 1 }
      counter.count += 1
    }
    .toasts(toasts)
  }
}
