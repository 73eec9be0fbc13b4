// SPDX-License-Identifier: Apache-2.0

// The counts of a log are what somebody wrote into a file.

extension Int {
  /// The sum, or the largest number there is where that would pass it.
  func boundedSum(_ other: Int) -> Int {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Sequence<Int> {
  /// The sum, or the largest number there is where that would pass it.
  var boundedSum: Int { reduce(0) { $0.boundedSum($1) } }
}
