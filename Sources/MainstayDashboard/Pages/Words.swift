// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Numbers, spans and moments as pages write them: short, and the same everywhere.
enum Words {
  /// With a thin space between thousands.
  static func number(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    let groups = digits.indices.map { index in
      index > 0 && (digits.count - index) % 3 == 0 ? "\u{202F}\(digits[index])" : "\(digits[index])"
    }
    return (value < 0 ? "−" : "") + groups.joined()
  }

  /// In its greatest unit, such as `3 min`.
  static func span(_ duration: Duration) -> String {
    let seconds = Int(max(duration, .zero) / .seconds(1))
    return switch seconds {
    case ..<1: "under 1 s"
    case ..<90: "\(seconds) s"
    case ..<5_400: "\((seconds + 30) / 60) min"
    case ..<172_800: "\((seconds + 1_800) / 3_600) h"
    default: "\(number((seconds + 43_200) / 86_400)) days"
    }
  }

  static func plural(_ count: Int, _ one: String, _ many: String) -> String {
    "\(number(count)) \(count == 1 ? one : many)"
  }
}

extension Dashboard {
  /// How long ago a moment was.
  func ago(_ date: Date) -> String {
    let age = Duration.milliseconds(max(now().milliseconds - date.milliseconds, 0))
    return age < .seconds(1) ? "just now" : "\(Words.span(age)) ago"
  }

  /// How long ago a moment was, with the moment itself for machines and for who asks.
  func time(_ date: Date) -> Page.Cell {
    var cell = Page.Cell(ago(date))
    cell.moment = date.formatted(.iso8601)
    return cell
  }
}
