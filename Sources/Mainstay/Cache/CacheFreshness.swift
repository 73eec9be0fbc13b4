// SPDX-License-Identifier: Apache-2.0

/// How much an answer is worth: whether it is of now, or kept from before.
public enum CacheFreshness: Sendable, Equatable {
  /// It was loaded just now, or so short a time ago that nobody need ask again.
  case fresh
  /// It is older than that, and a newer one is being loaded; nil where its age is not known.
  case revalidating(age: Duration?)
  /// It is older than that, and this is why there is no newer one; an age that nobody knows and a
  /// load that nobody tried are nil.
  case stale(age: Duration?, cause: AppError?)
  /// Nothing was ever loaded, or it is not kept any more: the value is made of local changes alone.
  case missing
}

extension CacheFreshness {
  /// Whether it is of now.
  public var isFresh: Bool { self == .fresh }

  /// How old it is; nil for what is fresh, missing, or of unknown age.
  public var age: Duration? {
    switch self {
    case .revalidating(let age), .stale(let age, _): age
    case .fresh, .missing: nil
    }
  }

  /// Why there is no newer one; nil where it is fresh, or where nobody tried.
  public var cause: AppError? {
    if case .stale(_, let cause) = self { cause } else { nil }
  }
}
