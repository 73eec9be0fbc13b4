// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

/// What one script of a transaction uses up.
public struct OgmiosEvaluation: Sendable, Hashable {
  /// What the script is for, such as `spend`.
  public let purpose: String
  /// Which one of those, counted from zero.
  public let index: UInt64
  /// How much memory it takes, in units of the ledger.
  public let memory: UInt64
  /// How many steps it takes, in units of the ledger.
  public let cpu: UInt64

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    let validator = reader["validator"]
    if let name = validator.value.string {
      // Before 6.3 it was one text, such as `spend:0`.
      let parts = name.split(separator: ":")
      guard parts.count == 2, let index = UInt64(parts[1]) else {
        throw validator.wrong("a purpose and an index")
      }
      (purpose, self.index) = (String(parts[0]), index)
    } else {
      purpose = try validator["purpose"].text()
      index = try validator["index"].natural()
    }
    memory = try reader["budget"]["memory"].natural()
    cpu = try reader["budget"]["cpu"].natural()
  }
}

/// A transaction that waits to be put into a block.
public struct OgmiosWaitingTransaction: Sendable, Hashable {
  /// Its name.
  public let id: String
  /// The transaction as far as it was asked for.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    id = try reader["id"].text()
    json = reader.value
  }
}

/// How full the mempool of a node is.
public struct OgmiosMempoolSize: Sendable, Hashable {
  /// How many transactions wait.
  public let transactions: UInt64
  /// How many bytes they have.
  public let bytes: UInt64
  /// How many bytes it holds at most.
  public let capacity: UInt64

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    transactions = try reader["transactions"]["count"].natural()
    bytes = try reader["currentSize"]["bytes"].natural()
    capacity = try reader["maxCapacity"]["bytes"].natural()
  }
}
