// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
public import MainstayHTTP

extension OgmiosClient {
  /// Sends transactions, and tries them out.
  public var transactions: Transactions { Transactions(client: self) }

  /// Where a transaction is that was sent before.
  public enum TransactionPlace: String, Sendable, Hashable, CaseIterable {
    /// It waits to be put into a block.
    case mempool
    /// It lies in a block.
    case chain
    /// It is in neither, as far as one can see: its first output may have been spent already.
    case unknown
  }

  /// Sends transactions, and tries them out.
  public struct Transactions: Sendable {
    let client: OgmiosClient

    /// Sends a transaction; it is never sent twice without somebody looking.
    ///
    /// Where it is not known whether it arrived, that is looked up by its name first: an answer
    /// that was lost, or a refusal because its inputs are spent, may mean that it is there. All
    /// endpoints are asked side by side, for as long as the options let a call wait. Why nobody
    /// could look stands in the metadata of the error as `ogmios.look`.
    ///
    /// - Parameters:
    ///   - cbor: Its bytes, in lower-case hexadecimal digits.
    ///   - id: Its name, computed by whoever built it; nil, the default, where nobody knows: then
    ///     nothing is looked up.
    ///   - timeout: How long to wait for the answer; more than zero, the default is that of the
    ///     options. A look comes on top.
    /// - Returns: Its name.
    /// - Throws: ``OgmiosError``; its disposition is `unknownOutcome` where it may have arrived. A
    ///   `Rejection`, and a cancellation.
    @discardableResult
    public func submit(
      cbor: String, id: String? = nil, timeout: Duration? = nil
    ) async throws -> String {
      try check(cbor, method: "submitTransaction")
      do {
        return try await client.execute(.submitTransaction(cbor), timeout: timeout)
      } catch let error as OgmiosError where error.appError.disposition == .unknownOutcome {
        guard let id else { throw error }
        do {
          if try await isThere(id) { return id }
        } catch let failure {
          throw error.looked(AppError.from(failure))
        }
        throw error
      }
    }

    /// Whether an endpoint has a transaction; the first one that has it says so for all.
    private func isThere(_ id: String) async throws -> Bool {
      try await client.limiting(client.options.timeout).run {
        try await withThrowingTaskGroup(of: Result<TransactionPlace, any Error>.self) { group in
          for index in client.links.indices {
            group.addTask {
              do { return .success(try await find(id, at: index)) } catch { return .failure(error) }
            }
          }
          defer { group.cancelAll() }
          var (isAnswered, last) = (false, (any Error)?.none)
          while let result = try await group.next() {
            switch result {
            case .success(.unknown): isAnswered = true
            case .success: return true
            case .failure(let error): last = last ?? error
            }
          }
          if let last, !isAnswered { throw last }
          return false
        }
      }
    }

    /// Looks for a transaction that was sent before: among those that wait, and in the blocks.
    ///
    /// All endpoints are asked, until one has it: news of a transaction travels from node to node.
    /// Each is asked on a connection of its own: views of the ledger and of the mempool that were
    /// acquired are from before, and stay as they are.
    ///
    /// - Parameter id: Its name.
    /// - Returns: Where it is.
    /// - Throws: ``OgmiosError`` where no endpoint answers, a `Rejection`, and a cancellation.
    public func find(_ id: String) async throws -> TransactionPlace {
      var (isAnswered, last) = (false, (any Error)?.none)
      for index in client.links.indices {
        do {
          let place = try await find(id, at: index)
          if place != .unknown { return place }
          isAnswered = true
        } catch let error where !error.isCancellation {
          last = error
        }
      }
      if let last, !isAnswered { throw last }
      return .unknown
    }

    private func find(_ id: String, at index: Int) async throws -> TransactionPlace {
      let acquire = OgmiosRequest<UInt64>.acquireMempool
      let has = OgmiosRequest<Bool>.hasTransaction(id)
      let first = client.ledgerStateQuery.utxo([OgmiosOutputReference(transaction: id, index: 0)])
        .request
      return try await client.looking(at: [index], for: first.method) { call, isLasting in
        if isLasting {
          _ = try await call(acquire.method, acquire.params)
          if try has.read(try await call(has.method, has.params)) { return .mempool }
        }
        let outputs = try first.read(try await call(first.method, first.params))
        return outputs.isEmpty ? .unknown : .chain
      }
    }

    /// Tries out the scripts of a transaction.
    ///
    /// - Parameters:
    ///   - cbor: Its bytes, in lower-case hexadecimal digits.
    ///   - additionalUtxo: Outputs that are not on the chain yet, as Ogmios writes them.
    /// - Returns: What each script uses up.
    /// - Throws: ``OgmiosError``, with the code 3010 and its ``OgmiosError/failures`` where scripts
    ///   fail; a `Rejection`, and a cancellation.
    public func evaluate(
      cbor: String, additionalUtxo: [JSONValue] = []
    ) async throws -> [OgmiosEvaluation] {
      try check(cbor, method: "evaluateTransaction")
      return try await client.execute(
        .evaluateTransaction(cbor, additionalUtxo: additionalUtxo))
    }

    private func check(_ cbor: String, method: String) throws(OgmiosError) {
      let isLegal =
        !cbor.isEmpty && cbor.utf8.count.isMultiple(of: 2)
        && cbor.utf8.allSatisfy { byte in
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
      guard !isLegal else { return }
      throw OgmiosError(
        .invalidFormat, method: method,
        note: "cbor has to be an even number of lower-case hexadecimal digits")
    }
  }
}
