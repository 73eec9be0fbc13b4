// SPDX-License-Identifier: Apache-2.0

extension AppError {
  /// The errors in this one that are about a field; none where it is about no field.
  ///
  /// They are the causes that name a field, in their order: those of an answer of HTTP stand there.
  /// Where no cause does, it is the error itself. A cancellation is about nothing. At most 1,000
  /// causes are looked at, ten levels deep.
  package var errorsOfFields: [AppError] { mistakes(ofFieldsAlone: true) }

  /// ``errorsOfFields``, and what stands beside these and is about no field: errors of the kind
  /// `validation`, as a service says them in one answer; none where no field is named.
  package var mistakes: [AppError] {
    let found = mistakes(ofFieldsAlone: false)
    return found.contains { $0.field != nil } ? found : []
  }

  private func mistakes(ofFieldsAlone: Bool) -> [AppError] {
    var left = 1_000
    return mistakes(ofFieldsAlone, depth: 10, &left)
  }

  private func isMistake(_ ofFieldsAlone: Bool) -> Bool {
    !isCancellation && (field != nil || !ofFieldsAlone && kind == .validation)
  }

  private func mistakes(
    _ ofFieldsAlone: Bool, depth: Int, _ left: inout Int
  ) -> [AppError] {
    guard !isCancellation else { return [] }
    let inside = Self.mistakes(ofFieldsAlone, in: underlying, depth: depth, &left)
    // An error that was converted has its original as its cause, which is the same mistake; and one
    // that was put under a field has a cause that knows nothing of it.
    let isInside = inside.contains { $0.field != nil } || field == nil && !inside.isEmpty
    let isOriginal = inside.count == 1 && inside[0].isSameMistake(as: self)
    if !isInside || isOriginal { return isMistake(ofFieldsAlone) ? [self] : [] }
    return inside
  }

  /// Whether both are one mistake, though another mapping may have put it in words of its own.
  private func isSameMistake(as other: AppError) -> Bool {
    code == other.code && kind == other.kind && disposition == other.disposition
      && field == other.field && title.arguments == other.title.arguments
      && message.arguments == other.message.arguments
      && suggestion?.arguments ?? [] == other.suggestion?.arguments ?? []
  }

  private static func mistakes(
    _ ofFieldsAlone: Bool, in causes: [any Error], depth: Int, _ left: inout Int
  ) -> [AppError] {
    guard depth > 0 else { return [] }
    var found: [AppError] = []
    for cause in causes {
      guard left > 0 else { return found }
      left -= 1
      if let error = cause as? AppError {
        found += error.mistakes(ofFieldsAlone, depth: depth - 1, &left)
      } else if let error = cause as? any AppErrorConvertible {
        // Its own causes are not those of what it is mapped to: that has it as the only cause.
        let inside = mistakes(
          ofFieldsAlone, in: ErrorChain.causes(of: error), depth: depth - 1, &left)
        let mapped = inside.isEmpty ? error.asAppError : nil
        found += mapped.map { $0.isMistake(ofFieldsAlone) ? [$0] : [] } ?? inside
      }
    }
    return found
  }
}
