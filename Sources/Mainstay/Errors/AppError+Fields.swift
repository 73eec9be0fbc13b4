// SPDX-License-Identifier: Apache-2.0

extension AppError {
  /// The errors in this one that are about a field; none where it is about no field.
  ///
  /// They are the causes that name a field, in their order: those of an answer of HTTP stand there.
  /// Where no cause does, it is the error itself. A cancellation is about nothing. At most 1,000
  /// causes are looked at, ten levels deep.
  package var errorsOfFields: [AppError] {
    var left = 1_000
    return errorsOfFields(depth: 10, &left)
  }

  private func errorsOfFields(depth: Int, _ left: inout Int) -> [AppError] {
    guard !isCancellation else { return [] }
    let inside = Self.errorsOfFields(in: underlying, depth: depth, &left)
    // An error that was converted has its original as its cause, which is the same mistake.
    let isOriginal = inside.count == 1 && inside[0].isSameMistake(as: self)
    if inside.isEmpty || isOriginal { return field == nil ? [] : [self] }
    return inside
  }

  /// Whether both are one mistake, though another mapping may have put it in words of its own.
  private func isSameMistake(as other: AppError) -> Bool {
    code == other.code && kind == other.kind && disposition == other.disposition
      && field == other.field && title.arguments == other.title.arguments
      && message.arguments == other.message.arguments
      && suggestion?.arguments ?? [] == other.suggestion?.arguments ?? []
  }

  private static func errorsOfFields(
    in causes: [any Error], depth: Int, _ left: inout Int
  ) -> [AppError] {
    guard depth > 0 else { return [] }
    var found: [AppError] = []
    for cause in causes {
      guard left > 0 else { return found }
      left -= 1
      if let error = cause as? AppError {
        found += error.errorsOfFields(depth: depth - 1, &left)
      } else if let error = cause as? any AppErrorConvertible {
        // Its own causes are not those of what it is mapped to: that has it as the only cause.
        let inside = errorsOfFields(in: ErrorChain.causes(of: error), depth: depth - 1, &left)
        let mapped = inside.isEmpty ? error.asAppError : nil
        found += mapped.map { $0.field == nil || $0.isCancellation ? [] : [$0] } ?? inside
      }
    }
    return found
  }
}
