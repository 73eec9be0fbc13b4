// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension ResilientClient.Core {
  /// Sends a request under the policies of its origin, and reads the answer.
  ///
  /// Its body is encoded before the first attempt, so that all of them send the same bytes.
  func perform<T: Sendable>(
    _ request: Request, _ read: @escaping @Sendable (HTTPReply, RequestWay) async throws -> T
  ) async throws(AppError) -> T {
    var request = request
    do {
      request.body = try request.body?.encoded(by: settings.encoder)
    } catch {
      throw Self.unencodable(error)
    }
    return try await carry(request, read)
  }

  /// What is told where a value cannot be encoded: nothing was sent.
  static func unencodable(_ error: any Error) -> AppError {
    ErrorMapping.current.map(error).adding(metadata: ["http.sent": "no"])
  }
}
