// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayJSONRPC

extension OgmiosError {
  /// What a call of a client of JSON-RPC ended with, in the words of Ogmios.
  ///
  /// - Parameters:
  ///   - error: What the client threw.
  ///   - method: The method that was called.
  ///   - endpoint: Where.
  ///   - kind: What failed where the connection did: `http` or `websocket`.
  /// - Returns: An ``OgmiosError``; a cancellation stays itself, and a queue that is full is a
  ///   `Rejection`.
  static func from(
    _ error: AppError, method: String, endpoint: String, over kind: Kind
  ) -> any Error {
    if error.isCancellation { return CancellationError() }
    if case .rejected = error.disposition {
      return Rejection(policy: endpoint, reason: .bulkheadFull)
    }
    guard let failure: JSONRPCConnectionError = error.cause() else {
      if let answer: JSONRPCError = error.cause() {
        return OgmiosError(
          .response, method: method, endpoint: endpoint, code: answer.code,
          message: answer.message, data: answer.data)
      }
      return OgmiosError(
        error.kind == .timeout ? .timeout : kind, method: method, endpoint: endpoint, cause: error)
    }
    // Ogmios writes an error into the reason with which it closes a connection. That the node is
    // gone is meant for all calls on it, anything else for one.
    if let said = failure.cause as? JSONRPCError, said.code == -32000 || !failure.isShared {
      return OgmiosError(
        .response, method: method, endpoint: endpoint, code: said.code, message: said.message,
        data: said.data, cause: error)
    }
    let own: Kind =
      switch failure.reason {
      case .timedOut: .timeout
      case .unreadable, .missing, .tooLarge: .invalidResponse
      case .unsendable, .duplicateID: .invalidFormat
      default: kind
      }
    return OgmiosError(own, method: method, endpoint: endpoint, cause: error)
  }
}
