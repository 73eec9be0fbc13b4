// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  private static let contended = BuiltInError(
    "sql.contended", .conflict, .transient(),
    title: "Somebody else was faster",
    message: "Something else was changed at the same moment, so this was not done.",
    suggestion: "Try again.")

  private static let duplicate = BuiltInError(
    "sql.duplicate", .conflict, .permanent,
    title: "This is already there",
    message: "Something with the same name or number exists already.",
    suggestion: "Change what you entered, then try again.")

  private static let unfit = BuiltInError(
    "sql.unfit", .validation, .permanent,
    title: "This can’t be saved",
    message: "It does not fit what is already saved on this device.",
    suggestion: "Change what you entered, then try again.")

  static let recordMissing = BuiltInError(
    "sql.not-found", .notFound, .permanent,
    title: "This isn’t there any more",
    message: "The app’s data does not have what was to be changed.",
    suggestion: "It may have been deleted. Go back and look again.")

  /// The row for a state of SQL: first the states that say more than their class, then the class.
  ///
  /// Source: PostgreSQL 17, appendix A.
  static func sql(_ state: String, isRepeatable: Bool) -> BuiltInError {
    let isState =
      state.utf8.count == 5
      && state.utf8.allSatisfy { Byte.isDigit($0) || (0x41...0x5a).contains($0) }
    guard isState, let code = ErrorCode("sql." + state.lowercased()) else {
      return answer("sql.other")
    }
    let row = sqlState(state) ?? sqlClass(state.prefix(2))
    guard let row else { return answer(code) }
    let isBroken = row.kind == .network || row.kind == .server
    if isBroken, row.disposition == .transient(), !isRepeatable, !neverBegun.contains(state) {
      return row.coded(code, nil, .unknownOutcome)
    }
    return row.coded(code)
  }

  /// Nothing was begun, so nothing was done.
  private static let neverBegun: Set = ["08001", "08004", "57P03", "25006"]

  private static func sqlState(_ state: String) -> BuiltInError? {
    switch state {
    case "08007", "40003": outcomeUnknown
    case "08001", "08004": unreachable
    case "08P01": badAnswer
    case "23505": duplicate
    // After a failover the old primary takes no more changes.
    case "25006": failing("sql.failing", nil)
    case "25P03", "25P04", "57014", "57P05": timeout
    case "40001", "40P01", "55P03", "55006": contended
    case "40002": unacceptable("sql.unacceptable")
    case "42501": notAllowed("sql.denied")
    case "57P01", "57P02", "57P03": failing("sql.failing", nil)
    case "58030": storageFailed
    case "XX001", "XX002": corrupted
    default: nil
    }
  }

  private static func sqlClass(_ letters: Substring) -> BuiltInError? {
    switch letters {
    case "00", "01", "02": badAnswer
    case "08": connectionLost
    case "0A": refused("sql.refused", isServer: true)
    case "22", "23", "44", "54": unacceptable("sql.unacceptable")
    case "40", "72": contended
    case "53": failing("sql.exhausted", nil).coded("sql.exhausted", .exhausted)
    case "03", "09", "0B", "0F", "0L", "0P", "0Z", "20", "21", "24", "25", "26", "27", "28", "2B",
      "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "42", "55", "57", "58", "F0", "HV", "XX":
      configuration
    default: nil
    }
  }

  /// Source: sqlite.org/rescode.html.
  static func sqlite(_ result: Int) -> BuiltInError {
    let primary = result & 0xff
    let code = ErrorCode("sqlite.\(primary)") ?? "sqlite.other"
    return (result < 0 ? nil : sqlitePrimary(primary))?.coded(code)
      ?? storageFailed.coded(code, nil, .unclassified)
  }

  private static func sqlitePrimary(_ primary: Int) -> BuiltInError? {
    switch primary {
    case 1, 2, 17, 21, 22: configuration  // error, internal, schema, misuse, no large files
    case 3, 23: storageDenied  // perm, auth
    case 5, 6, 15: fileInUse  // busy, locked, protocol
    case 7: exhausted  // nomem
    case 8: storageReadOnly
    case 9: cancelled  // interrupt
    case 10: storageFailed  // ioerr
    case 11, 26: corrupted  // corrupt, notadb
    case 13: storageFull
    case 14: storageDenied.coded("sqlite.14", .storage)  // cantopen
    case 18, 19, 20, 25: unfit  // toobig, constraint, mismatch, range
    default: nil
    }
  }

  /// Source: JSON-RPC 2.0, section 5.1.
  static func jsonRPC(_ number: Int, isRepeatable: Bool) -> BuiltInError {
    let code = jsonRPCCode(number)
    switch number {
    case -32_700, -32_600, -32_601: return refused(code, isServer: false)
    case -32_602: return unacceptable(code)
    case -32_603:
      let row = failing(code, nil)
      return isRepeatable ? row : row.coded(code, nil, .unknownOutcome)
    default: return answer(code)
    }
  }

  /// The numbers that JSON-RPC keeps for itself and for servers are told apart from those that each
  /// service gives a meaning of its own, so that no two numbers have one code.
  private static func jsonRPCCode(_ number: Int) -> ErrorCode {
    let isReserved = (-32_768 ... -32_000).contains(number)
    let sign = number < 0 ? "minus-" : ""
    let name = isReserved ? "rpc.\(number.magnitude)" : "jsonrpc.\(sign)\(number.magnitude)"
    return ErrorCode(name) ?? "rpc.other"
  }

  /// One row for each text and disposition of databases and of JSON-RPC.
  static let databases: [BuiltInError] =
    [
      "08000", "08001", "08007", "08P01", "0A000", "22001", "23503", "23505", "25006", "28000",
      "40001", "40003", "42501", "42601", "53300", "57014", "57P01", "58030", "P0001", "XX001",
    ].map { sql($0, isRepeatable: true) }
    + [sql("08006", isRepeatable: false), answer("sql.other"), recordMissing]
    + [1, 3, 5, 7, 8, 9, 10, 11, 13, 14, 19, 27].map { sqlite($0) }
    + [-32_700, -32_602, -32_603, -32_000, 1].map { jsonRPC($0, isRepeatable: true) }
}
