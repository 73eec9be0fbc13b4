// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The calls that are running, as lines that say nothing about the device or the run.
enum StackTrace {
  private static let maximumCount = 64

  /// The calls that are running now, the innermost first, without those of the monitor.
  static func current() -> [String] {
    let own = 3  // this one, that which asks, and `capture`
    return Thread.callStackSymbols.dropFirst(own).prefix(maximumCount).map(line)
  }

  /// One call: without addresses, which differ from run to run, and folders, which name people.
  static func line(_ symbol: String) -> String {
    let text = BoundedText.cut(symbol, to: 4_000)
    let words = text.split(separator: " ").filter { word in
      !word.hasPrefix("0x") && !word.hasPrefix("[0x")
    }
    let line = words.map { word in word.split(separator: "/").last ?? word }
    return BoundedText.redacted(line.joined(separator: " "), to: 500)
  }
}
