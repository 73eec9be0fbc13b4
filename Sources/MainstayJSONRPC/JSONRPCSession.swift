// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import MainstayHTTP

/// A connection that is being restored: what is called here goes before all other calls, and to
/// this connection alone.
public struct JSONRPCSession: Sendable {
  /// The number of the connection, counted from 1.
  public let number: Int

  private let core: ClientCore

  init(number: Int, core: ClientCore) {
    self.number = number
    self.core = core
  }

  /// Calls a method on this connection.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What it is given: an array or an object; the default is nothing.
  ///   - timeout: How long to wait for the answer; the default is that of the options.
  /// - Returns: The result.
  /// - Throws: As a call of the client does, and where the connection has ended.
  @discardableResult
  public func call(
    _ method: String, _ params: JSONValue? = nil, timeout: Duration? = nil
  ) async throws(AppError) -> JSONValue {
    let outcomes = await core.run(
      [JSONRPCRequest(method, params)], isBatch: false, timeout: timeout, for: number)
    return try outcomes[0].get()
  }
}
