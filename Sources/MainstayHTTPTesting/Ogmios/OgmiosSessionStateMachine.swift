// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import MainstayHTTP

/// What one connection to an Ogmios server has: its place on the chain, its view of the ledger and
/// its view of the waiting transactions.
///
/// Requests go in and answers come out, in the order of the requests of each protocol. What has to
/// wait for the chain or for the mempool is answered by ``ledgerChanged(_:)``.
struct OgmiosSessionStateMachine: Sendable {
  typealias Block = OgmiosLedger.Block
  typealias Failure = OgmiosServer.Failure

  struct Settings: Sendable, Hashable {
    var version = OgmiosServer.Version.v70
    var isStrict = false
    var includesCBOR = false
    /// How many questions for blocks are on their way to the node at most.
    var maximumInFlight = 1_000
  }

  /// What becomes of one request.
  enum Answer {
    case result(String)
    case failure(Failure)
    case waits
    case unknownMethod
  }

  /// A request, and what is to become of it in the place of its answer.
  private struct Line {
    let request: OgmiosRequestLine
    let fault: OgmiosServer.Fault?
  }

  private struct Snapshot {
    let transactions: [OgmiosLedger.Transaction]
    var next = 0
    let slot: Int
    let changes: Int
  }

  let settings: Settings
  /// The blocks that were answered, up to the place on the chain; empty at its beginning.
  private var path: [Block] = []
  private var mustRollBack = true
  private var ledgerView: (point: Block, expiries: Int)?
  private var mempoolView: Snapshot?
  /// Questions about the chain that are on their way to the node.
  private var waitingForBlocks: [Line] = []
  /// Those that came while there were as many as may be; they keep their order.
  private var heldBack: [Line] = []
  private var waitingForMempool: [Line] = []
  /// The most questions for blocks that were on their way to the node at once.
  private(set) var mostInFlight = 0

  init(settings: Settings = Settings()) { self.settings = settings }

  /// Takes a message and says what is answered to it at once.
  ///
  /// What is to go wrong stands in the place of its answer, also where that comes later.
  mutating func receive(
    _ bytes: Data, _ ledger: inout OgmiosLedger, fault: OgmiosServer.Fault? = nil
  ) -> [OgmiosReply] {
    guard let document = JSONValue(json: bytes) else { return [.invalid(id: nil)] }
    guard let request = OgmiosRequestLine(document) else {
      return [.invalid(id: document["id"])]
    }
    guard OgmiosParams.areLegal(request.params, of: request.method) else {
      return [.invalid(id: request.id)]
    }
    let line = Line(request: request, fault: fault)
    if request.method == "nextBlock" || request.method == "findIntersection" {
      heldBack.append(line)
      return blocks(of: &ledger)
    }
    if Self.isAboutMempool(request.method) {
      waitingForMempool.append(line)
      return mempool(of: &ledger)
    }
    return [reply(to: line, answer(request, &ledger))].compactMap(\.self)
  }

  /// The answers that have become possible.
  mutating func ledgerChanged(_ ledger: inout OgmiosLedger) -> [OgmiosReply] {
    blocks(of: &ledger) + mempool(of: &ledger)
  }

  private static func isAboutMempool(_ method: String) -> Bool {
    ["acquireMempool", "nextTransaction", "hasTransaction", "sizeOfMempool", "releaseMempool"]
      .contains(method)
  }

  private mutating func blocks(of ledger: inout OgmiosLedger) -> [OgmiosReply] {
    var replies: [OgmiosReply] = []
    letBlocksGo()
    while let first = waitingForBlocks.first,
      let reply = reply(to: first, answer(first.request, &ledger))
    {
      waitingForBlocks.removeFirst()
      replies.append(reply)
      letBlocksGo()
    }
    return replies
  }

  /// Sends questions on to the node, as far as there is room.
  private mutating func letBlocksGo() {
    let room = max(0, settings.maximumInFlight - waitingForBlocks.count)
    waitingForBlocks += heldBack.prefix(room)
    heldBack.removeFirst(min(room, heldBack.count))
    mostInFlight = max(mostInFlight, waitingForBlocks.count)
  }

  private mutating func mempool(of ledger: inout OgmiosLedger) -> [OgmiosReply] {
    var replies: [OgmiosReply] = []
    while let first = waitingForMempool.first,
      let reply = reply(to: first, answer(first.request, &ledger))
    {
      waitingForMempool.removeFirst()
      replies.append(reply)
    }
    return replies
  }

  private func reply(to line: Line, _ answer: Answer) -> OgmiosReply? {
    let request = line.request
    if case .waits = answer { return nil }
    if let fault = line.fault { return .fault(fault, to: request, strict: settings.isStrict) }
    return switch answer {
    case .result(let text): .result(text, to: request, strict: settings.isStrict)
    case .failure(let failure): .failure(failure, to: request, strict: settings.isStrict)
    case .unknownMethod: .invalid(id: request.id)
    case .waits: nil
    }
  }

  private mutating func answer(
    _ request: OgmiosRequestLine, _ ledger: inout OgmiosLedger
  ) -> Answer {
    switch request.method {
    case "findIntersection": findIntersection(request.params, ledger)
    case "nextBlock": nextBlock(ledger)
    case "submitTransaction": submit(request.params, &ledger)
    case "evaluateTransaction": evaluate(request.params, ledger)
    case "acquireLedgerState": acquireLedgerState(request.params, ledger)
    case "releaseLedgerState": releaseLedgerState()
    case "acquireMempool": acquireMempool(ledger)
    case "nextTransaction": nextTransaction(request.params)
    case "hasTransaction": hasTransaction(request.params)
    case "sizeOfMempool": sizeOfMempool()
    case "releaseMempool": releaseMempool()
    case let method where method.hasPrefix("queryNetwork/"):
      OgmiosQueries.network(method.dropFirst(13), request.params, ledger)
    case let method where method.hasPrefix("queryLedgerState/"):
      queryLedgerState(method.dropFirst(17), request.params, ledger)
    default: .unknownMethod
    }
  }
}

// MARK: - The chain

extension OgmiosSessionStateMachine {
  private mutating func findIntersection(_ params: JSONValue?, _ ledger: OgmiosLedger) -> Answer {
    let points = params?["points"]?.array ?? [.string("origin")]
    for point in points {
      if point.string == "origin" {
        path = []
      } else if let index = Self.index(of: point, ledger) {
        path = Array(ledger.blocks[...index])
      } else {
        continue
      }
      mustRollBack = true
      let place = path.last.map(OgmiosQueries.point) ?? "\"origin\""
      return .result(#"{"intersection":\#(place),"tip":\#(OgmiosQueries.tip(ledger))}"#)
    }
    return .failure(
      Failure(1000, "No intersection found.", data: #"{"tip":\#(OgmiosQueries.tip(ledger))}"#))
  }

  private mutating func nextBlock(_ ledger: OgmiosLedger) -> Answer {
    while let last = path.last, ledger.block(slot: last.slot, id: last.id) == nil {
      path.removeLast()
      mustRollBack = true
    }
    let tip = OgmiosQueries.tip(ledger)
    if mustRollBack {
      mustRollBack = false
      let place = path.last.map(OgmiosQueries.point) ?? "\"origin\""
      return .result(#"{"direction":"backward","tip":\#(tip),"point":\#(place)}"#)
    }
    let next = (path.last.flatMap { ledger.block(slot: $0.slot, id: $0.id) } ?? -1) + 1
    guard ledger.blocks.indices.contains(next) else { return .waits }
    path.append(ledger.blocks[next])
    let block = OgmiosQueries.block(ledger, at: next, cbor: settings.includesCBOR)
    return .result(#"{"direction":"forward","tip":\#(tip),"block":\#(block)}"#)
  }

  private static func index(of point: JSONValue?, _ ledger: OgmiosLedger) -> Int? {
    guard let slot = point?["slot"]?.integer, let id = point?["id"]?.string else { return nil }
    return ledger.block(slot: slot, id: id)
  }
}

// MARK: - The ledger

extension OgmiosSessionStateMachine {
  private mutating func acquireLedgerState(_ params: JSONValue?, _ ledger: OgmiosLedger) -> Answer {
    guard let point = params?["point"] else { return .unknownMethod }
    guard let index = Self.index(of: point, ledger) else {
      return .failure(Failure(2000, "Failed to acquire that point.", data: "\"not on chain\""))
    }
    ledgerView = (ledger.blocks[index], ledger.expiries)
    let place = OgmiosQueries.point(ledger.blocks[index])
    return .result(#"{"acquired":"ledgerState","point":\#(place)}"#)
  }

  private mutating func releaseLedgerState() -> Answer {
    ledgerView = nil
    return .result(#"{"released":"ledgerState"}"#)
  }

  private mutating func queryLedgerState(
    _ query: Substring, _ params: JSONValue?, _ ledger: OgmiosLedger
  ) -> Answer {
    if let ledgerView,
      ledgerView.expiries < ledger.expiries
        || ledger.block(slot: ledgerView.point.slot, id: ledgerView.point.id) == nil
    {
      self.ledgerView = nil
      return .failure(Failure(2003, "The acquired state has expired.", data: "\"too old\""))
    }
    if ledger.queryEra != ledger.era {
      let data = #"{"queryEra":"\#(ledger.queryEra)","ledgerEra":"\#(ledger.era)"}"#
      return .failure(Failure(2001, "The era of the query is not that of the ledger.", data: data))
    }
    let place = ledgerView?.point ?? ledger.tip
    return OgmiosQueries.ledgerState(query, params, ledger, at: place, settings.version)
  }
}

// MARK: - Transactions

extension OgmiosSessionStateMachine {
  private func submit(_ params: JSONValue?, _ ledger: inout OgmiosLedger) -> Answer {
    guard let cbor = params?["transaction"]?["cbor"]?.string else { return .unknownMethod }
    if let failure = Self.undecodable(cbor) { return .failure(failure) }
    guard let id = ledger.submit(cbor) else {
      let spent = OgmiosLedger.transactionID(of: "input" + cbor)
      let data = #"{"unknownOutputReferences":[{"transaction":{"id":"\#(spent)"},"index":0}]}"#
      return .failure(Failure(3117, "Unknown transaction inputs.", data: data))
    }
    return .result(#"{"transaction":{"id":"\#(id)"}}"#)
  }

  private func evaluate(_ params: JSONValue?, _ ledger: OgmiosLedger) -> Answer {
    guard let cbor = params?["transaction"]?["cbor"]?.string else { return .unknownMethod }
    if let failure = Self.undecodable(cbor) { return .failure(failure) }
    let budget = #"{"memory":1700,"cpu":476468}"#
    return .result(#"[{"validator":{"index":0,"purpose":"spend"},"budget":\#(budget)}]"#)
  }

  private static func undecodable(_ cbor: String) -> Failure? {
    let isHexadecimal = cbor.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard cbor.isEmpty || !isHexadecimal || !cbor.utf8.count.isMultiple(of: 2) else { return nil }
    let data = #"{"alonzo":"not base16","babbage":"not base16","conway":"not base16"}"#
    return Failure(-32602, "Invalid transaction.", data: data)
  }
}

// MARK: - The mempool

extension OgmiosSessionStateMachine {
  private static let notAcquired = Failure(4000, "No mempool snapshot is acquired.")

  private mutating func acquireMempool(_ ledger: OgmiosLedger) -> Answer {
    if let mempoolView, mempoolView.changes == ledger.mempoolChanges { return .waits }
    mempoolView = Snapshot(
      transactions: ledger.mempool, slot: ledger.tip.slot, changes: ledger.mempoolChanges)
    return .result(#"{"acquired":"mempool","slot":\#(ledger.tip.slot)}"#)
  }

  private mutating func nextTransaction(_ params: JSONValue?) -> Answer {
    guard var view = mempoolView else { return .failure(Self.notAcquired) }
    guard view.transactions.indices.contains(view.next) else {
      return .result(#"{"transaction":null}"#)
    }
    let transaction = view.transactions[view.next]
    view.next += 1
    mempoolView = view
    let isWhole = params?["fields"]?.string == "all"
    return .result(
      #"{"transaction":\#(OgmiosQueries.transaction(transaction, isWhole: isWhole))}"#)
  }

  private func hasTransaction(_ params: JSONValue?) -> Answer {
    guard let view = mempoolView else { return .failure(Self.notAcquired) }
    guard let id = params?["id"]?.string else { return .unknownMethod }
    return .result(view.transactions.contains { $0.id == id } ? "true" : "false")
  }

  private func sizeOfMempool() -> Answer {
    guard let view = mempoolView else { return .failure(Self.notAcquired) }
    let bytes = view.transactions.reduce(0) { $0 + $1.cbor.utf8.count / 2 }
    return .result(
      #"{"maxCapacity":{"bytes":178176},"currentSize":{"bytes":\#(bytes)},"#
        + #""transactions":{"count":\#(view.transactions.count)}}"#)
  }

  private mutating func releaseMempool() -> Answer {
    guard mempoolView != nil else { return .failure(Self.notAcquired) }
    mempoolView = nil
    return .result(#"{"released":"mempool"}"#)
  }
}
