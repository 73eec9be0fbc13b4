// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

// What a caller learns of a call that has failed.
extension ResilientClient.Core {
  /// What the caller is told: of all attempts, and not of the last one alone.
  ///
  /// The policies know less of them. Where they took the call for doubtful, the work that it is
  /// part of learns so here, and only if it is.
  func final(
    _ error: any Error, _ request: Request, _ book: SendBook, _ use: NetworkUse?
  ) -> AppError {
    let error = Self.asTold(ErrorMapping.current.map(error))
    guard error.disposition != .cancelled else { return error }
    guard book.hasArrived || error.disposition == .unknownOutcome else {
      // Also of a time limit that passed while a token was waited for: the policies do not know.
      return error.adding(metadata: ["http.sent": "no"])
    }
    // A question has no effect, whichever of its attempts arrived.
    guard !request.verb.isSafe || !book.isRepeatable else { return error.withoutGuess }
    // The answer of a service that failed speaks for itself, as any other one does; what comes of a
    // later attempt that none has answered does not.
    let isAnswer = error.httpStatus != nil && error.metadata["http.sent"] != "no"
    let isOwnChange =
      error.httpStatus == 412 && request.isChangeOfVersion && (book.mayHaveEffect || book.hasFailed)
    guard book.mayHaveEffect || isOwnChange || (book.hasFailed && !isAnswer) else {
      return error.withoutGuess
    }
    use?.tellDoubt()
    let told = (isOwnChange ? error.ofOwnChange : error).adding(metadata: ["http.sent": "maybe"])
    guard !book.isRepeatable, told.disposition != .unknownOutcome else { return told }
    return told.with(disposition: .unknownOutcome)
  }

  /// What a caller is told of what policies have seen in another way.
  private static func asTold(_ error: AppError) -> AppError {
    guard error.kind == .portal, case .rejected = error.disposition else {
      return error.elsewhere(false)
    }
    return error.with(disposition: .transient())
  }
}
