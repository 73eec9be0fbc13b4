// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension AppError {
  /// What a person may do about it, also where nobody has suggested anything: where to read about
  /// it, else to try again.
  package var advice: LocalizableText {
    suggestion ?? help.map { Self.reading(at: $0.absoluteString) } ?? Self.tryingAgain
  }

  /// Where there is more about an error.
  static func reading(at address: String) -> LocalizableText {
    LocalizableText(
      key: "error.help.suggestion", pattern: "Read about it: {0}",
      arguments: [.publicText(address)])
  }

  private static let tryingAgain = LocalizableText(
    key: "error.unknown.suggestion", english: "Try again. If it happens again, contact support.")
}
