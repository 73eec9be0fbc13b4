// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The table: medians over the rounds, and ratios to AsyncHTTPClient alone in the same round.
struct Report {
  let samples: [Contender: [Sample]]
  let requests: Int
  let concurrency: Int

  func print() {
    Swift.print(
      "\(requests) requests a round, \(concurrency) at once; ratios to AsyncHTTPClient alone\n")
    Swift.print("client       requests/s    ratio  p99 ms    ratio  cpu us/request    ratio")
    for contender in Contender.allCases {
      guard let own = samples[contender] else { continue }
      let raw = samples[.raw] ?? own
      let row = [
        contender.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0),
        column(own.map { Double(requests) / $0.seconds }, 12, 0),
        column(zip(own, raw).map { $1.seconds / $0.seconds }, 8, 2),
        column(own.map { $0.slowest * 1e3 }, 7, 2),
        column(zip(own, raw).map { $0.slowest / $1.slowest }, 8, 2),
        column(own.map { $0.processorSeconds * 1e6 / Double(requests) }, 15, 1),
        column(zip(own, raw).map { $0.processorSeconds / $1.processorSeconds }, 8, 2),
      ]
      Swift.print(row.joined(separator: " "))
    }
  }

  private func column(_ values: [Double], _ width: Int, _ digits: Int) -> String {
    let median = values.sorted()[values.count / 2]
    let text = String(format: "%.\(digits)f", median)
    return String(repeating: " ", count: max(width - text.count, 0)) + text
  }
}
