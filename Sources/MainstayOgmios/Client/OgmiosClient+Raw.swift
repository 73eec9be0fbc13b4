// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

extension OgmiosClient {
  /// Calls a method by its name, such as one that a newer server has brought.
  ///
  /// It goes the way of all calls: to the next endpoint where a connection fails, and again as the
  /// options say. What may have arrived is sent once more only where the method is a question of
  /// the ledger or of the network, or known to do no harm. Questions of the ledger are about the
  /// view that was acquired.
  ///
  /// - Parameters:
  ///   - method: The name of the method; none of the chain or the mempool, nor one that acquires or
  ///     releases a view: these have functions of their own, which know where the client is.
  ///   - params: What it is given: an object; the default is nothing.
  ///   - timeout: How long to wait for the answer of one server; more than zero, the default is
  ///     that of the options.
  /// - Returns: The result, as it came.
  /// - Throws: ``OgmiosError``, of the kind `invalidFormat` for such a method and for params that
  ///   are no object; a `Rejection`, and a cancellation.
  public func call(
    _ method: String, _ params: JSONValue? = nil, timeout: Duration? = nil
  ) async throws -> JSONValue {
    guard !OgmiosMethod.isMove(method) else {
      throw OgmiosError(
        .invalidFormat, method: method, note: "it moves a place that the client keeps")
    }
    guard params == nil || params?.object != nil else {
      throw OgmiosError(.invalidFormat, method: method, note: "params are an object")
    }
    let request = OgmiosRequest(method, params) { r throws(OgmiosError) in r.value }
    return try await execute(request, timeout: timeout)
  }
}
