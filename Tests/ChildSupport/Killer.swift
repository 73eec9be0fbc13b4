// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Kills this process when a step is reached for the n-th time.
package final class Killer<Step: RawRepresentable<String> & Equatable & Sendable>: Sendable {
  private let step: Step?
  private let left: Locked<Int>
  private let killed: Journal

  /// Makes a killer.
  ///
  /// - Parameters:
  ///   - step: The step to die at; nil for none.
  ///   - occurrence: Which time the step is reached, from 1.
  ///   - killed: Where it writes the step before.
  package init(step: Step?, occurrence: Int, killed: Journal) {
    self.step = step
    left = Locked(occurrence)
    self.killed = killed
  }

  /// A step is reached.
  package func reached(_ step: Step) {
    guard step == self.step else { return }
    let mustDie = left.withLock { left in
      left -= 1
      return left == 0
    }
    guard mustDie else { return }
    try? killed.append([step.rawValue])
    kill(getpid(), SIGKILL)
  }
}
