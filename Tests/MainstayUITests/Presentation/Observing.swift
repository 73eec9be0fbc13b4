// SPDX-License-Identifier: Apache-2.0

import Observation

/// Does something, and returns once what is observed has changed.
@MainActor
func change(of read: () -> Void, after act: () -> Void) async {
  await withCheckedContinuation { continuation in
    withObservationTracking(read) { continuation.resume() }
    act()
  }
}
