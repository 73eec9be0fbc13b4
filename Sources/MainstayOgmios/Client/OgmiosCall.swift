// SPDX-License-Identifier: Apache-2.0

/// A question to Ogmios that is ready to be asked.
///
/// ```swift
/// let epoch = try await client.ledgerStateQuery.epoch.execute()
/// ```
public struct OgmiosCall<Output: Sendable>: Sendable {
  /// What is sent, and how its answer is read.
  public let request: OgmiosRequest<Output>
  let client: OgmiosClient

  /// Asks it.
  ///
  /// - Parameter timeout: How long to wait for the answer of one server; more than zero, the
  ///   default is that of the options.
  /// - Returns: The answer.
  /// - Throws: ``OgmiosError``, a `Rejection` where the breakers of all endpoints are open, and a
  ///   cancellation.
  public func execute(timeout: Duration? = nil) async throws -> Output {
    try await client.execute(request, timeout: timeout)
  }
}

extension OgmiosClient {
  func call<Output>(_ request: OgmiosRequest<Output>) -> OgmiosCall<Output> {
    OgmiosCall(request: request, client: self)
  }
}
