// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

/// One method of Ogmios with what it is given: what is sent, and how its answer is read.
public struct OgmiosRequest<Output: Sendable>: Sendable {
  /// The method, as Ogmios calls it.
  public let method: String
  /// What it is given; nil for nothing.
  public let params: JSONValue?
  /// How the result is read.
  private let reading: @Sendable (OgmiosReader) throws(OgmiosError) -> Output

  init(
    _ method: String, _ params: JSONValue? = nil,
    _ reading: @escaping @Sendable (OgmiosReader) throws(OgmiosError) -> Output
  ) {
    self.method = method
    self.params = params
    self.reading = reading
  }

  /// Reads a result.
  ///
  /// - Parameter result: The member `result` of an answer.
  /// - Returns: What it says.
  /// - Throws: ``OgmiosError`` of the kind `invalidResponse`, with the place of what is wrong.
  public func read(_ result: JSONValue) throws(OgmiosError) -> Output {
    try reading(OgmiosReader(result, method: method))
  }
}

/// What is known of the methods of Ogmios.
enum OgmiosMethod {
  /// The protocol of nodes that a method belongs to: calls of one are answered in their order.
  enum Conversation: Sendable {
    case chain, ledger, mempool, submission, network
  }

  static func conversation(of method: String) -> Conversation {
    switch method {
    case "findIntersection", "nextBlock": .chain
    case "acquireLedgerState", "releaseLedgerState": .ledger
    case "submitTransaction", "evaluateTransaction": .submission
    case let name where name.hasPrefix("queryLedgerState/"): .ledger
    case let name where mempoolMethods.contains(name): .mempool
    // Whatever else a server offers, it keeps nothing of it.
    default: .network
    }
  }

  private static let mempoolMethods: Set = [
    "acquireMempool", "nextTransaction", "hasTransaction", "sizeOfMempool", "releaseMempool",
  ]

  /// Whether calling it twice does no harm: a transaction that is sent twice is refused as spent,
  /// and of a method that is not known nobody can say.
  static func isRepeatable(_ method: String) -> Bool {
    switch conversation(of: method) {
    case .chain, .ledger, .mempool: true
    case .submission: method == "evaluateTransaction"
    case .network: method.hasPrefix("queryNetwork/") || method == "health"
    }
  }

  /// Whether it moves a place that the client keeps, so that it has to know of it.
  static func isMove(_ method: String) -> Bool {
    switch conversation(of: method) {
    case .chain, .mempool: true
    case .ledger: !method.hasPrefix("queryLedgerState/")
    case .submission, .network: false
    }
  }

  /// Whether it may wait for something to happen on the chain.
  static func isWaiting(_ method: String) -> Bool {
    method == "nextBlock" || method == "acquireMempool"
  }

  /// Whether it asks about the mempool, and not about one view of it.
  static func isAboutAnyMempoolView(_ method: String) -> Bool {
    method == "hasTransaction" || method == "sizeOfMempool"
  }

  /// Whether it needs a connection that lasts, whatever was called before.
  static func needsConnection(_ method: String) -> Bool {
    switch conversation(of: method) {
    case .chain, .mempool: true
    case .ledger: method == "acquireLedgerState" || method == "releaseLedgerState"
    case .submission, .network: false
    }
  }
}
