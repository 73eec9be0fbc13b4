// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite(.requirement("C19")) struct ToastsTests {
  private let clock = ManualClock()

  /// Moves the clock and returns once other toasts are on screen than before.
  private func advance(by duration: Duration, changing toasts: Toasts) async {
    await change {
      _ = toasts.visible
    } after: {
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

  @Test func `what only the colour says is said to a screen reader`() {
    let german = Locale(identifier: "de")
    let said = Toast.Style.allCases.map { Toast($0, "Text.").accessibilityLabel(in: german) }
    #expect(said == ["Text.", "Text.", "Warnung. Text.", "Fehler. Text."])
  }

  @Test func `a button puts the toast away first, and works once`() async {
    let (toasts, log) = (Toasts(clock: clock), Log())
    let undo = RecoveryAction(id: "undo", title: "Take Back")
    toasts.show(.success, "Removed.", action: undo) {
      log.add("taken back with \(toasts.visible.count)")
    }
    let id = toasts.visible[0].id
    #expect(toasts.visible[0].action?.id == "undo")
    await toasts.choose(id)
    await toasts.choose(id)
    #expect(log.lines == ["taken back with 0"])
  }

  @Test func `two deletions with the same words have a button each`() async {
    let (toasts, log) = (Toasts(clock: clock), Log())
    let undo = RecoveryAction(id: "undo", title: "Take Back")
    for name in ["A", "B"] {
      toasts.show(.success, "Removed.", action: undo) { log.add(name) }
    }
    #expect(toasts.visible.map(\.count) == [1, 1])
    await toasts.choose(toasts.visible[1].id)
    #expect(log.lines == ["B"] && toasts.visible.count == 1)
    toasts.show(.success, "Removed.", action: undo)
    #expect(toasts.visible.map(\.count) == [1, 1], "a button that does nothing is not the same")
    await toasts.choose(toasts.visible[0].id)
    #expect(log.lines == ["B", "A"])
  }

  @Test func `the same toast again counts, and its newest work stands behind its button`() async {
    let (toasts, log) = (Toasts(clock: clock), Log())
    let toast = Toast(.success, "Removed.", action: .dismiss)
    for number in 1...2 { toasts.show(toast) { log.add("\(number)") } }
    #expect(toasts.visible.map(\.count) == [2])
    await toasts.choose(toasts.visible[0].id)
    #expect(log.lines == ["2"])
  }

  @Test func `what somebody reads stays, and then lasts anew`() async {
    let toasts = Toasts(clock: clock)
    toasts.show(.info, "Read me.")
    await clock.sleepers(atLeast: 1)
    toasts.hold(toasts.visible[0].id)
    clock.advance(by: .seconds(60))
    toasts.show(.info, "Another.")
    #expect(toasts.visible.map(\.text) == ["Read me.", "Another."])
    toasts.release(toasts.visible[0].id)
    clock.advance(by: .milliseconds(3_999))
    #expect(toasts.visible.count == 2)
    await advance(by: .milliseconds(1), changing: toasts)
    #expect(toasts.visible.isEmpty)
  }

  @Test func `ten thousand leave a few, and mishaps are dropped last`() {
    let toasts = Toasts(clock: clock)
    toasts.show(.info, "Shown.")
    toasts.show(.info, "Shown too.")
    toasts.show(.info, "Shown as well.")
    toasts.show(.error, "Not saved.")
    for number in 1...10_000 { toasts.show(.info, "Number \(number).") }
    #expect(toasts.visible.count == 3 && toasts.waitingCount == 20)
    #expect(toasts.droppedCount == 10_001 - 20)
    toasts.dismiss(toasts.visible[0].id)
    #expect(toasts.visible.last?.text == "Not saved.")
  }
}
