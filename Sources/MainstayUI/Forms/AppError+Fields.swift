// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension AppError {
  /// The errors in this one that are about a field, for a form to show under each; none where it
  /// is about no field.
  ///
  /// They are the causes that name a field, in their order: those of an answer of HTTP stand there.
  /// Where no cause does, it is the error itself. A cancellation is about nothing. At most 1,000
  /// causes are looked at, ten levels deep.
  public var aboutFields: [AppError] { errorsOfFields }

  /// The same failure in the words of what is wrong with fields that are not on the screen.
  func telling(_ homeless: [AppError]) -> AppError {
    guard let first = homeless.first else { return self }
    if homeless.count == 1 {
      return saying(first.message, suggestion: first.suggestion, underlying: homeless)
    }
    let words = LocalizableText(lines: homeless.map(\.message))
    return saying(words, suggestion: nil, underlying: homeless)
  }
}
