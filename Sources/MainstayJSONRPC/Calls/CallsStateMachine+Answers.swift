// SPDX-License-Identifier: Apache-2.0

// What servers do: anything, at any time.
extension CallsStateMachine {
  /// An answer with an id.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - exchange: The bundle in whose exchange it came; nil where all share one connection.
  /// - Returns: What has to be done.
  mutating func answer(_ id: JSONRPCID, in exchange: Bundle? = nil) -> [Effect] {
    guard let ticket = ticketOfID[id], let entry = entries[ticket],
      parcels[entry.bundle]?.isSent == true, exchange.map({ $0 == entry.bundle }) ?? true
    else { return [.stray(stray(id))] }
    answered.insert(id)
    return end(ticket, .answered) + pump()
  }

  /// An error without an id: the server could not read what it got.
  ///
  /// It goes to all calls of the bundle that it must be about, where only one comes into question.
  ///
  /// - Parameters:
  ///   - exchange: The bundle in whose exchange it came; nil where all share one connection.
  ///   - bundles: The bundles of the calls that the same message has answered by their ids.
  /// - Returns: What has to be done.
  mutating func anonymousError(
    in exchange: Bundle? = nil, among bundles: Set<Bundle> = []
  ) -> [Effect] {
    if let ticket = ticketOfID[.null], parcel(of: ticket)?.isSent == true {
      return answer(.null, in: exchange)
    }
    let companion = bundles.count == 1 ? bundles.first : nil
    guard let bundle = exchange ?? companion ?? soleBundle ?? soleBatch else {
      return [.stray(abandoned.contains(.null) ? stray(.null) : .anonymous)]
    }
    let calls = tickets(of: bundle)
    guard !calls.isEmpty else { return [.stray(.late)] }
    for id in calls.compactMap({ entries[$0]?.id }) { answered.insert(id) }
    return calls.flatMap { end($0, .answered) } + pump()
  }

  /// The answer to a batch is read to its end: what it has no answer to gets none.
  ///
  /// - Parameters:
  ///   - bundles: The bundles of the calls that it answered, before they ended.
  ///   - exchange: The bundle in whose exchange it came; nil where all share one connection.
  /// - Returns: What has to be done.
  mutating func batchEnded(_ bundles: Set<Bundle>, in exchange: Bundle? = nil) -> [Effect] {
    var all = bundles
    if let exchange { all.insert(exchange) }
    return all.sorted().flatMap { bundle -> [Effect] in
      guard parcels[bundle]?.isSent == true else { return [] }
      return tickets(of: bundle).filter { entries[$0]?.id != nil }
        .flatMap { end($0, .missing) }
    } + pump()
  }

  /// Something that cannot be read.
  ///
  /// Where it may have been the answer to several, each goes on waiting, and is told about it if
  /// its time passes; or the connection ends, where the limits say so and somebody waits. What came
  /// in an exchange is about no other one.
  ///
  /// - Parameters:
  ///   - text: The beginning of it.
  ///   - exchange: The bundle in whose exchange it came; nil where all share one connection.
  /// - Returns: What has to be done.
  mutating func unreadable(_ text: String, in exchange: Bundle? = nil) -> [Effect] {
    if let bundle = exchange ?? soleBundle, !tickets(of: bundle).isEmpty {
      return endBundle(bundle, .unreadable(text))
    }
    guard exchange == nil else { return [.stray(.unreadable)] }
    let sent = parcels.filter { $0.value.isSent }.keys
    for bundle in sent { parcels[bundle]?.unreadable = text }
    return [.stray(.unreadable)]
      + (limits.endsUnreadable && !sent.isEmpty ? [.breakOff(text)] : [])
  }

  /// The bundle of the call with this id, as long as it is on its way.
  func bundle(of id: JSONRPCID) -> Bundle? {
    guard let ticket = ticketOfID[id], let entry = entries[ticket],
      parcels[entry.bundle]?.isSent == true
    else { return nil }
    return entry.bundle
  }

  /// The only bundle that the server can mean.
  private var soleBundle: Bundle? {
    let sent = parcels.filter { $0.value.isSent }
    return sent.count == 1 && abandoned.isEmpty ? sent.first?.key : nil
  }

  /// The only batch on its way: what is refused without an id is most often one.
  private var soleBatch: Bundle? {
    let batches = parcels.filter { $0.value.isSent && $0.value.tickets.count > 1 }
    return batches.count == 1 ? batches.first?.key : nil
  }

  private mutating func stray(_ id: JSONRPCID) -> JSONRPCEvent.Stray {
    if abandoned.remove(id) {
      answered.insert(id)
      return .late
    }
    return answered.contains(id) ? .duplicate : .unknown
  }
}

/// The last ids of a kind; older ones are forgotten.
struct RecentIDs: Sendable {
  private let limit: Int
  private var ids: Set<JSONRPCID> = []
  private var order: [JSONRPCID] = []

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { ids.isEmpty }

  func contains(_ id: JSONRPCID) -> Bool { ids.contains(id) }

  mutating func insert(_ id: JSONRPCID) {
    guard ids.insert(id).inserted else { return }
    order.append(id)
    if order.count > limit { ids.remove(order.removeFirst()) }
  }

  mutating func remove(_ id: JSONRPCID) -> Bool {
    guard ids.remove(id) != nil else { return false }
    order.removeAll { $0 == id }
    return true
  }
}
