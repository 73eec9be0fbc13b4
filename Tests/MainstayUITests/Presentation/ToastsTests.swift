// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

@MainActor @Suite(.requirement("C19")) struct ToastsTests {
  private let clock = ManualClock()

  /// Moves the clock and returns once other toasts are on screen than before.
  private func advance(by duration: Duration, changing toasts: Toasts) async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = toasts.visible
      } onChange: {
        continuation.resume()
      }
      clock.advance(by: duration)
    }
  }

  @Test func `a toast goes away by itself`() async {
    let toasts = Toasts(clock: clock)
    toasts.show(.success, "Saved.")
    #expect(toasts.visible.map(\.text) == ["Saved."])
    clock.advance(by: .milliseconds(3_900))
    #expect(toasts.visible.count == 1)
    await advance(by: .milliseconds(100), changing: toasts)
    #expect(toasts.visible.isEmpty)
  }

  @Test func `a warning stays twice as long, and does not keep others`() async {
    let toasts = Toasts(clock: clock)
    toasts.show(.error, "Not saved.")
    await clock.sleepers(atLeast: 1)
    toasts.show(.info, "Loaded.")
    await advance(by: .seconds(4), changing: toasts)
    #expect(toasts.visible.map(\.text) == ["Not saved."])
    await advance(by: .seconds(4), changing: toasts)
    #expect(toasts.visible.isEmpty)
  }

  @Test func `three are shown at once, the others wait`() async {
    let toasts = Toasts(clock: clock)
    for number in 1...5 { toasts.show(.info, "Number \(number).") }
    #expect(toasts.visible.map(\.text) == ["Number 1.", "Number 2.", "Number 3."])
    #expect(toasts.waitingCount == 2)
    toasts.dismiss(toasts.visible[1].id)
    #expect(toasts.visible.map(\.text) == ["Number 1.", "Number 3.", "Number 4."])
    await advance(by: .seconds(4), changing: toasts)
    #expect(toasts.visible.map(\.text) == ["Number 5."])
  }

  @Test func `the same words again count and last anew`() async {
    let toasts = Toasts(clock: clock)
    toasts.show(.info, "Loaded.")
    clock.advance(by: .seconds(3))
    toasts.show(.info, "Loaded.")
    toasts.show(.warning, "Loaded.")
    #expect(toasts.visible.map(\.count) == [2, 1])
    clock.advance(by: .seconds(2))
    #expect(toasts.visible.count == 2)
  }

  @Test func `each style has a picture of its own`() {
    #expect(Set(Toast.Style.allCases.map(\.icon)).count == Toast.Style.allCases.count)
  }
}
