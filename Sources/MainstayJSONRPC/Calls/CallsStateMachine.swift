// SPDX-License-Identifier: Apache-2.0

/// The calls of one client: which wait, which are on their way, and how each ends.
///
/// It has no clock, no connection and no content. What is sent together is a bundle: one call, or
/// several of a batch. A call waits or is on its way, and ends by one step out of either, so none
/// ends twice; whatever comes for it later is a stray.
struct CallsStateMachine: Sendable {
  /// The name of a call or notification.
  typealias Ticket = UInt64
  /// The name of what is sent in one message.
  typealias Bundle = UInt64

  /// Settings that were checked before.
  struct Limits: Sendable {
    var inFlight = 64
    var waiting = 1_000
    /// Whether all calls share one connection, over which an answer may come late.
    var isShared = true
    /// Whether a connection ends with something that cannot be read, where it may have been the
    /// answer to any of several calls.
    var endsUnreadable = false
  }

  /// One call of a bundle; a notification has no id.
  struct Call: Sendable {
    let ticket: Ticket
    let id: JSONRPCID?
  }

  /// How a call ends.
  enum Ending: Sendable, Equatable {
    /// Its answer is there.
    case answered
    /// It was sent, and nobody answers it.
    case written
    case timedOut(wasSent: Bool)
    case cancelled
    /// The connection ended, or the one for which it was meant is gone. It may have ended over
    /// another call, where several messages were on their way.
    case lost(wasSent: Bool, isShared: Bool = false)
    /// The exchange failed.
    case failed(wasSent: Bool)
    /// No connection can be made.
    case unconnected
    /// Its batch was answered without it.
    case missing
    /// What came for it, or may have, cannot be read; the beginning of that.
    case unreadable(String)
    case full
    case duplicateID
    case closed(wasSent: Bool)
  }

  /// What has to be done, in order.
  enum Effect: Sendable, Equatable {
    case send(Bundle)
    case end(Ticket, Ending)
    /// Nobody waits any more for a bundle that was sent.
    case giveUp(Bundle)
    case stray(JSONRPCEvent.Stray)
    /// The connection is of no use any more: something came over it that cannot be read.
    case breakOff(String)
  }

  /// Whether calls can be sent.
  enum Line: Sendable, Equatable {
    case down
    /// The connection takes what restores it, and nothing else.
    case restoring(Int)
    case up(Int)
    case closed
  }

  struct Parcel: Sendable {
    var tickets: [Ticket]
    /// The connection for which it is meant; nil for any.
    let connection: Int?
    var isSent = false
    /// The beginning of something that could not be read, and may have been the answer.
    var unreadable: String?

    /// Takes a call out; true where none is left.
    mutating func remove(_ ticket: Ticket) -> Bool {
      if let index = tickets.firstIndex(of: ticket) { tickets.remove(at: index) }
      return tickets.isEmpty
    }
  }

  struct Entry: Sendable {
    let bundle: Bundle
    let id: JSONRPCID?
  }

  /// How many ids of the past are remembered, of each kind.
  private static let memory = 256

  let limits: Limits
  var line = Line.down
  /// How many calls and notifications are on their way.
  var inFlight = 0
  /// How many wait.
  var waiting = 0
  var parcels: [Bundle: Parcel] = [:]
  var entries: [Ticket: Entry] = [:]
  var ticketOfID: [JSONRPCID: Ticket] = [:]
  /// Ids of calls that were sent and given up, and of those that were answered.
  var abandoned = RecentIDs(limit: Self.memory)
  var answered = RecentIDs(limit: Self.memory)
  private(set) var queue: [Bundle] = []
  private var front = 0
  private var nextBundle: Bundle = 0

  init(_ limits: Limits) { self.limits = limits }

  /// The calls of a bundle that have not ended.
  func tickets(of bundle: Bundle) -> [Ticket] { parcels[bundle]?.tickets ?? [] }

  /// Whether a call with this id waits or is on its way, or was given up and may still be answered:
  /// the next one with that id would get its answer.
  func isInUse(_ id: JSONRPCID) -> Bool {
    ticketOfID[id] != nil || limits.isShared && abandoned.contains(id)
  }
}

// What callers do.
extension CallsStateMachine {
  /// Somebody calls.
  ///
  /// - Parameters:
  ///   - calls: What belongs into one message; at least one.
  ///   - connection: The one connection for which it is meant, while that is being restored.
  /// - Returns: What has to be done.
  mutating func submit(_ calls: [Call], for connection: Int? = nil) -> [Effect] {
    func refused(_ ending: Ending) -> [Effect] { calls.map { .end($0.ticket, ending) } }
    if line == .closed { return refused(.closed(wasSent: false)) }
    let ids = calls.compactMap(\.id)
    guard Set(ids).count == ids.count, !ids.contains(where: isInUse) else {
      return refused(.duplicateID)
    }
    if let connection {
      guard line == .restoring(connection) || line == .up(connection) else {
        return refused(.lost(wasSent: false))
      }
      let bundle = add(calls, for: connection)
      return send(bundle)
    }
    let mayGoNow = isUp && waiting == 0 && hasRoom(for: calls.count)
    guard mayGoNow || waiting + calls.count <= limits.waiting else { return refused(.full) }
    let bundle = add(calls, for: nil)
    waiting += calls.count
    queue.append(bundle)
    return pump()
  }

  /// The time of a call is over.
  mutating func expire(_ ticket: Ticket) -> [Effect] {
    guard let parcel = parcel(of: ticket) else { return [] }
    if let text = parcel.unreadable { return leave(ticket, .unreadable(text)) }
    return leave(ticket, .timedOut(wasSent: parcel.isSent))
  }

  /// Nobody waits for a call any more.
  mutating func cancel(_ ticket: Ticket) -> [Effect] { leave(ticket, .cancelled) }

  /// Nothing is called any more.
  mutating func close() -> [Effect] {
    guard line != .closed else { return [] }
    line = .closed
    let sent = parcels.filter { $0.value.isSent }.keys.sorted()
    return endAll { $0.isSent ? .closed(wasSent: true) : .closed(wasSent: false) }
      + sent.map { .giveUp($0) }
  }

  private mutating func leave(_ ticket: Ticket, _ ending: Ending) -> [Effect] {
    guard let entry = entries[ticket], let parcel = parcels[entry.bundle] else { return [] }
    var effects = end(ticket, ending)
    if parcel.isSent {
      if let id = entry.id { abandoned.insert(id) }
      if parcels[entry.bundle] == nil { effects.append(.giveUp(entry.bundle)) }
    }
    return effects + pump()
  }
}

// What the connection does.
extension CallsStateMachine {
  /// A connection is open.
  mutating func opened(_ connection: Int, isRestored: Bool) -> [Effect] {
    guard line != .closed else { return [] }
    line = isRestored ? .up(connection) : .restoring(connection)
    return pump()
  }

  /// A connection ended: what was on its way there is lost, and the rest waits for the next one.
  mutating func ended() -> [Effect] {
    guard line != .closed else { return [] }
    line = .down
    // Nothing comes late over a connection that is gone.
    abandoned = RecentIDs(limit: Self.memory)
    answered = RecentIDs(limit: Self.memory)
    let isShared = parcels.count { $0.value.isSent } > 1
    return endAll { $0.isSent ? .lost(wasSent: true, isShared: isShared) : nil }
  }

  /// No connection can be made, and waiting does not help.
  mutating func failWaiting() -> [Effect] { endAll { $0.isSent ? nil : .unconnected } }

  /// A bundle has left; what nobody answers is done.
  mutating func written(_ bundle: Bundle) -> [Effect] {
    guard let parcel = parcels[bundle], parcel.isSent else { return [] }
    return parcel.tickets.filter { entries[$0]?.id == nil }.flatMap { end($0, .written) } + pump()
  }

  /// A bundle has certainly not left: it goes again, before all others.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - connection: The connection that did not take it, and will not take another one.
  /// - Returns: What has to be done.
  mutating func returned(_ bundle: Bundle, by connection: Int) -> [Effect] {
    guard var parcel = parcels[bundle], parcel.isSent else { return [] }
    guard parcel.connection == nil else {
      return parcel.tickets.flatMap { end($0, .lost(wasSent: false)) } + pump()
    }
    parcel.isSent = false
    parcels[bundle] = parcel
    inFlight -= parcel.tickets.count
    waiting += parcel.tickets.count
    if front > 0 {
      front -= 1
      queue[front] = bundle
    } else {
      queue.insert(bundle, at: 0)
    }
    return line == .up(connection) ? [] : pump()
  }

  /// The exchange of a bundle failed.
  mutating func failed(_ bundle: Bundle, wasSent: Bool) -> [Effect] {
    endBundle(bundle, .failed(wasSent: wasSent))
  }

  private var isUp: Bool { if case .up = line { true } else { false } }

  private func hasRoom(for count: Int) -> Bool {
    inFlight == 0 || inFlight + count <= limits.inFlight
  }

  /// Sends what waits, the oldest first, as far as there is room.
  mutating func pump() -> [Effect] {
    guard isUp else { return [] }
    var effects: [Effect] = []
    while front < queue.count {
      let bundle = queue[front]
      guard let parcel = parcels[bundle], !parcel.isSent else {
        front += 1
        continue
      }
      guard hasRoom(for: parcel.tickets.count) else { break }
      front += 1
      waiting -= parcel.tickets.count
      effects += send(bundle)
    }
    if front > 64, front * 2 > queue.count {
      queue.removeFirst(front)
      front = 0
    }
    return effects
  }

  private mutating func send(_ bundle: Bundle) -> [Effect] {
    parcels[bundle]?.isSent = true
    inFlight += parcels[bundle]?.tickets.count ?? 0
    return [.send(bundle)]
  }

  private mutating func add(_ calls: [Call], for connection: Int?) -> Bundle {
    nextBundle += 1
    parcels[nextBundle] = Parcel(tickets: calls.map(\.ticket), connection: connection)
    for call in calls {
      entries[call.ticket] = Entry(bundle: nextBundle, id: call.id)
      if let id = call.id { ticketOfID[id] = call.ticket }
    }
    return nextBundle
  }
}

// How calls end.
extension CallsStateMachine {
  func parcel(of ticket: Ticket) -> Parcel? { entries[ticket].flatMap { parcels[$0.bundle] } }

  /// Takes a call out, and says how it ended.
  mutating func end(_ ticket: Ticket, _ ending: Ending) -> [Effect] {
    guard let entry = entries.removeValue(forKey: ticket),
      let isSent = parcels[entry.bundle]?.isSent
    else { return [] }
    if let id = entry.id { ticketOfID[id] = nil }
    if isSent { inFlight -= 1 } else { waiting -= 1 }
    // In its place: a large batch is not copied for each of its answers.
    if parcels[entry.bundle]?.remove(ticket) == true { parcels[entry.bundle] = nil }
    return [.end(ticket, ending)]
  }

  /// Ends all that is left of a bundle.
  mutating func endBundle(_ bundle: Bundle, _ ending: Ending) -> [Effect] {
    tickets(of: bundle).flatMap { end($0, ending) } + pump()
  }

  private mutating func endAll(_ ending: (Parcel) -> Ending?) -> [Effect] {
    parcels.keys.sorted().flatMap { bundle -> [Effect] in
      guard let parcel = parcels[bundle], let ending = ending(parcel) else { return [] }
      return parcel.tickets.flatMap { end($0, ending) }
    }
  }
}
