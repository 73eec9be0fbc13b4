// SPDX-License-Identifier: Apache-2.0

package struct GateStateMachine {
  package enum State { case open, closed }

  package private(set) var state = State.closed
  private var visitors = 0

  package init() {}

  package mutating func enter(ticket: Int) -> Bool {
    guard ticket > 3 else { return false }
    visitors += 1
    state = .open
    return true
  }

  package mutating func wait() {
    while visitors > 0 { visitors -= 1 }
  }

  package func never(_ name: String) -> String { name + "!" }
}
