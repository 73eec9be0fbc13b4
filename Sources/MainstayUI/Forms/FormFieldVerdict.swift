// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What follows from what stands in a field of a form, whether or not it is shown.
public enum FormFieldVerdict: String, Sendable, Hashable, Codable, CaseIterable {
  /// All rules pass, or the field may be empty and is.
  case valid
  /// It has to be filled in, and is not; it blocks, and nothing is shown before the form was sent.
  case empty
  /// A rule says what is wrong; it blocks.
  case invalid
  /// A rule that asks somebody else has yet to answer; sending waits for it.
  case checking
  /// A rule that asks somebody else failed or took too long; it does not block.
  case unchecked
  /// A service refused the value; it does not block sending it again.
  case refused

  /// What stands beside the field while it is `checking` or `unchecked`; nil for the others, since
  /// those have an error or nothing to say.
  public var note: LocalizableText? {
    switch self {
    case .checking: FormTexts.checking
    case .unchecked: FormTexts.unchecked
    case .valid, .empty, .invalid, .refused: nil
    }
  }

  /// Whether the form may not be sent with it.
  var isBlocking: Bool { self == .empty || self == .invalid }
}
