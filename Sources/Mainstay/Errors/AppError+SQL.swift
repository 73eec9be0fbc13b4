// SPDX-License-Identifier: Apache-2.0

extension AppError {
  /// A database of SQL answered with a state that is not a success.
  ///
  /// | States | Become |
  /// |---|---|
  /// | 40001, 40P01, 55P03, 55006, 72, 25006 | `conflict` or `server`, transient |
  /// | 08, 57P01, 57P02, 57P03 | `network` or `server`, transient, or an unknown outcome |
  /// | 08007, 40003 | an unknown outcome |
  /// | 57014, 25P03, 25P04, 57P05 | `timeout`, transient |
  /// | 53, 58030 | `exhausted` or `storage`, transient |
  /// | 23505 | `conflict`, permanent: it is there already |
  /// | 22, 23, 44, 54 | `validation`, permanent |
  /// | 42501 | `denied`, permanent |
  /// | 28, 3D, 3F, 42 and other mistakes of the app | `configuration`, permanent |
  /// | XX001, XX002 | `corrupted`, permanent |
  /// | P0 and classes that nobody knows | `server`, unclassified |
  ///
  /// Source: PostgreSQL 17, appendix A.
  ///
  /// - Parameters:
  ///   - state: The five letters and digits, such as `40001`; anything else is unclassified.
  ///   - isRepeatable: Whether doing it twice does no harm. False, the default, where nobody
  ///     knows: a connection that broke leaves the outcome unknown then.
  ///   - message: What the database says, for logs.
  ///   - cause: The error of the driver.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error with the code `sql.<state>`.
  public static func sql(
    state: String, isRepeatable: Bool = false, message: String? = nil, cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .sql(state, isRepeatable: isRepeatable), details: message,
      metadata: ["sql.state": String(state.prefix(16))], cause: cause,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// A record of the app's own database is not there any more.
  package static func recordMissing(
    _ cause: any Error,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .recordMissing, cause: cause,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// SQLite answered with a result that is not a success.
  ///
  /// | Results | Become |
  /// |---|---|
  /// | 5 BUSY, 6 LOCKED, 15 PROTOCOL | `storage`, transient: something else is working with it |
  /// | 7 NOMEM | `exhausted`, transient |
  /// | 9 INTERRUPT | `cancelled` |
  /// | 10 IOERR | `storage`, transient |
  /// | 11 CORRUPT, 26 NOTADB | `corrupted`, permanent |
  /// | 13 FULL | `storageFull`, needs the user |
  /// | 3 PERM, 8 READONLY, 14 CANTOPEN, 23 AUTH | needs the user |
  /// | 18 TOOBIG, 19 CONSTRAINT, 20 MISMATCH, 25 RANGE | `validation`, permanent |
  /// | 1 ERROR, 2 INTERNAL, 17 SCHEMA, 21 MISUSE, 22 NOLFS | `configuration`, permanent |
  /// | anything else | `storage`, unclassified |
  ///
  /// Source: sqlite.org/rescode.html.
  ///
  /// - Parameters:
  ///   - result: The primary or the extended result code.
  ///   - message: What the database says, for logs.
  ///   - cause: The error of the driver.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error with the code `sqlite.<primary result>`.
  public static func sqlite(
    result: Int, message: String? = nil, cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .sqlite(result), details: message, metadata: ["sqlite.result": String(result)], cause: cause,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// A service answered a JSON-RPC call with an error.
  ///
  /// | Code | Becomes |
  /// |---|---|
  /// | -32700 parse error, -32600 invalid request, -32601 method not found | `server`, permanent |
  /// | -32602 invalid parameters | `validation`, permanent |
  /// | -32603 internal error | `server`, transient, or an unknown outcome |
  /// | -32000 to -32099 and all others | `server`, unclassified: each service has its own |
  ///
  /// Source: JSON-RPC 2.0, section 5.1.
  ///
  /// - Parameters:
  ///   - rpcCode: The code in the answer.
  ///   - message: What the service says, for logs; read it with ``serverMessage``.
  ///   - isRepeatable: Whether making the call twice does no harm. False, the default, where
  ///     nobody knows: an internal error leaves the outcome unknown then.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error with the code `rpc.<number without its sign>` where JSON-RPC reserves the
  ///   number, from -32768 to -32000, and otherwise `jsonrpc.<number>`, with `minus-` before one
  ///   below zero; the number itself is ``serverCode``.
  public static func jsonRPC(
    code rpcCode: Int, message: String? = nil, isRepeatable: Bool = false,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    var values = ["server.code": String(rpcCode)]
    values["server.message"] = message
    return AppError(
      .jsonRPC(rpcCode, isRepeatable: isRepeatable),
      details: "JSON-RPC \(rpcCode)" + (message.map { ": \($0)" } ?? ""), metadata: values,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// The state with which a database of SQL answered; nil where none did.
  public var sqlState: String? { metadata["sql.state"] }
}
