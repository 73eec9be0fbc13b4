// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension AppError {
  /// The errors in this one that are about a field, for a form to show under each; none where it is
  /// about no field.
  ///
  /// They are the causes that name a field, in their order: those of an answer of HTTP stand there.
  /// Where no cause does, it is the error itself. A cancellation is about nothing. Causes are looked
  /// for ten levels deep.
  public var aboutFields: [AppError] { aboutFields(depth: 10) }

  private func aboutFields(depth: Int) -> [AppError] {
    guard !isCancellation else { return [] }
    if depth > 0 {
      let inside = underlying.flatMap {
        ($0 as? AppError)?.aboutFields(depth: depth - 1) ?? []
      }
      if !inside.isEmpty { return inside }
    }
    return field == nil ? [] : [self]
  }
}
