// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

// How calls end, in the words of errors.
extension ClientCore {
  /// What a caller gets.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - ending: How it ended.
  ///   - answer: What the server answered; nil where it did not.
  ///   - cause: Why the exchange failed, or why there is no connection.
  /// - Returns: The result, or the error.
  func outcome(
    of call: PendingCall, _ ending: CallsStateMachine.Ending, answer: Envelope.Answer?,
    cause: (any Error)?
  ) -> PendingCall.Outcome {
    func failure(
      _ reason: JSONRPCConnectionError.Reason, wasSent: Bool, details: String? = nil,
      cause: (any Error)? = nil
    ) -> PendingCall.Outcome {
      .failure(
        JSONRPCConnectionError(
          reason, method: call.request.method, wasSent: wasSent, isRepeatable: call.isRepeatable,
          details: details, cause: cause
        ).asAppError)
    }
    switch ending {
    case .answered: return outcome(of: call, answer)
    case .written: return .success(.null)
    case .cancelled: return .failure(.cancelled())
    case .timedOut(let wasSent):
      return failure(.timedOut, wasSent: wasSent, cause: wasSent ? nil : cause)
    case .lost(let wasSent, let isShared):
      guard let end = cause as? JSONRPCConnectionError else {
        return failure(.lost, wasSent: wasSent, cause: cause)
      }
      // Nobody knows to which of the calls it was the answer.
      if isShared, end.isAboutMessage {
        return failure(.lost, wasSent: wasSent, details: end.description)
      }
      return .failure(end.about(call, wasSent: wasSent, isShared: isShared).asAppError)
    case .unconnected:
      guard let end = cause as? JSONRPCConnectionError else {
        return failure(.unreachable, wasSent: false, cause: cause)
      }
      // What the server sent to others says nothing about a call that has not left.
      if end.isAboutMessage {
        return failure(.lost, wasSent: false, details: end.description)
      }
      return .failure(end.about(call, wasSent: false).asAppError)
    case .failed(let wasSent): return .failure(failed(call, wasSent: wasSent, cause))
    case .missing:
      // What was answered in the place of it.
      guard case .malformed(let text)? = answer else { return failure(.missing, wasSent: true) }
      return failure(.missing, wasSent: true, details: text)
    case .unreadable(let text): return failure(.unreadable, wasSent: true, details: text)
    case .full: return failure(.full, wasSent: false)
    case .duplicateID: return failure(.duplicateID, wasSent: false)
    case .closed(let wasSent): return failure(.closed, wasSent: wasSent)
    }
  }

  private func outcome(
    of call: PendingCall, _ answer: Envelope.Answer?
  ) -> PendingCall.Outcome {
    switch answer {
    case .result(let value): return .success(value)
    case .error(let code, let message, let data):
      return .failure(
        JSONRPCError(
          code: code, message: message, data: data, method: call.request.method,
          catalog: options.catalog, isRepeatable: call.isRepeatable
        ).asAppError)
    case .malformed, nil:
      var details = "no answer"
      if case .malformed(let flaw) = answer { details = flaw }
      return .failure(
        JSONRPCConnectionError(
          .unreadable, method: call.request.method, wasSent: true,
          isRepeatable: call.isRepeatable, details: details
        ).asAppError)
    }
  }

  /// An exchange of HTTP failed; who asked for it says what that means.
  private func failed(_ call: PendingCall, wasSent: Bool, _ cause: (any Error)?) -> AppError {
    guard let cause else {
      return JSONRPCConnectionError(
        .lost, method: call.request.method, wasSent: wasSent, isRepeatable: call.isRepeatable
      ).asAppError
    }
    if let end = cause as? JSONRPCConnectionError {
      return end.about(call, wasSent: wasSent).asAppError
    }
    let method = ["jsonrpc.method": BoundedText.redacted(call.request.method, to: 200)]
    let error = cause.asAppError.adding(metadata: method)
    // The table of answers has looked at that already, but at no page in the place of one.
    let isJudged = error.httpStatus != nil && error.kind != .portal
    guard wasSent, !call.isRepeatable, !isJudged else { return error }
    switch error.disposition {
    // Also where what came back is no answer at all.
    case .transient, .permanent: return error.with(disposition: .unknownOutcome)
    default: return error
    }
  }

  func tell(
    of call: PendingCall, _ ending: CallsStateMachine.Ending, _ outcome: PendingCall.Outcome
  ) {
    let time = timeline.now - call.start
    switch outcome {
    case .success:
      guard let id = call.id else { return }
      events.tell(.answered(method: call.request.method, id: id, after: time))
    case .failure(let error):
      events.tell(.failed(method: call.request.method, id: call.id, error, after: time))
    }
  }
}

extension JSONRPCConnectionError {
  /// Whether something that the server sent ended the connection.
  fileprivate var isAboutMessage: Bool {
    reason == .violation || reason == .tooLarge || reason == .unreadable
  }

  /// The same, as it concerns one call.
  func about(
    _ call: PendingCall, wasSent: Bool, isShared: Bool = false
  ) -> JSONRPCConnectionError {
    JSONRPCConnectionError(
      reason, method: call.request.method, wasSent: wasSent, isRepeatable: call.isRepeatable,
      closeCode: closeCode, details: details, isShared: isShared, cause: cause)
  }
}
