// SPDX-License-Identifier: Apache-2.0

import Mainstay

// Outside of the package more events may come: with Swift 6.3 this does not compile without its
// last case, and with any Swift it compiles with it.
func words(_ reason: PolicyEvent.GiveUpReason) -> String {
  switch reason {
  case .attemptsUsedUp, .budgetExhausted: "all attempts are used up"
  case .notRetryable, .insideAnotherRetry: "nobody repeats it here"
  case .deadlineTooClose, .serverDelayTooLong: "there is no time left"
  case .cancelled: "it was stopped"
  @unknown default: reason.rawValue
  }
}

print("lean: built with Mainstay alone,", words(.cancelled))
