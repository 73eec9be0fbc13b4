// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Which of several servers is asked, in which order, and how each of them stands.
///
/// The first one is asked for as long as it is well. One that failed rests for a while, longer each
/// time, and is asked last meanwhile; after that it is asked again in its place. How a server
/// stands, only its own calls say.
struct OgmiosEndpointsStateMachine: Sendable {
  struct Settings: Sendable {
    /// How long a server rests after its first failure.
    var firstRest = Duration.seconds(1)
    /// How long it rests at most.
    var longestRest = Duration.seconds(30)
    /// How long a call without an answer may leave open how a server stands.
    var patience = Duration.seconds(60)
  }

  /// How one call ended.
  enum Ending: Sendable, Hashable {
    /// The server answered, be it with an error.
    case answered
    /// There was no answer in time.
    case timedOut
    /// The connection failed.
    case failed
    /// It says nothing about the server.
    case unknown
  }

  fileprivate struct Endpoint: Sendable {
    var status = ConnectionStatus.disconnected
    /// When the last call began that said how it stands.
    var evidence = Duration.zero
    var since = Duration.zero
    var failures = 0
    var restsUntil: Duration?
  }

  private let settings: Settings
  fileprivate var endpoints: [Endpoint]
  /// The server that answered last; nil before the first answer.
  private(set) var inUse: Int?

  init(count: Int, settings: Settings = Settings()) {
    self.settings = settings
    endpoints = Array(repeating: Endpoint(), count: count)
  }

  /// The order in which servers are asked.
  ///
  /// - Parameters:
  ///   - preferred: A server that has something that others do not have; nil for none.
  ///   - now: The reading of the clock.
  /// - Returns: All servers, each once.
  func order(preferring preferred: Int? = nil, at now: Duration) -> [Int] {
    let awake = endpoints.indices.filter { !isResting($0, at: now) }
    let all = awake + endpoints.indices.filter { isResting($0, at: now) }
    guard let preferred, endpoints.indices.contains(preferred) else { return all }
    return [preferred] + all.filter { $0 != preferred }
  }

  func isResting(_ index: Int, at now: Duration) -> Bool {
    endpoints[index].restsUntil.map { now < $0 } ?? false
  }

  /// A call has ended.
  ///
  /// One that began before the call whose ending is known says nothing any more, unless it tells
  /// the same.
  ///
  /// - Parameters:
  ///   - ending: How it ended.
  ///   - index: The server.
  ///   - begun: When the call began.
  ///   - now: The reading of the clock.
  /// - Returns: Whether another server is in use now.
  @discardableResult
  mutating func ended(
    _ ending: Ending, at index: Int, begun: Duration, now: Duration
  ) -> Bool {
    guard ending != .unknown, begun >= endpoints[index].evidence else { return false }
    endpoints[index].evidence = begun
    switch ending {
    case .answered:
      endpoints[index].set(.connected, now)
      endpoints[index].failures = 0
      endpoints[index].restsUntil = nil
      defer { inUse = index }
      return inUse != nil && inUse != index
    case .timedOut:
      // A server that has failed is not better for not answering.
      if endpoints[index].status != .failed { endpoints[index].set(.reconnecting, now) }
    case .failed:
      endpoints[index].set(.failed, now)
      if !isResting(index, at: now) { endpoints[index].failures += 1 }
      let doublings = min(endpoints[index].failures - 1, 20)
      let rest = settings.firstRest * (1 << max(doublings, 0))
      endpoints[index].restsUntil = now + min(rest, settings.longestRest)
    case .unknown: break
    }
    return false
  }

  /// How a server stands; one of which nothing was heard for too long has failed.
  func status(of index: Int, at now: Duration) -> ConnectionStatus {
    let endpoint = endpoints[index]
    let isOverdue =
      endpoint.status == .reconnecting && now - endpoint.since >= settings.patience
    return isOverdue ? .failed : endpoint.status
  }

  /// How the service stands as a whole: as the server in use does, or the first one before that.
  func status(at now: Duration) -> ConnectionStatus {
    endpoints.isEmpty ? .disconnected : status(of: inUse ?? 0, at: now)
  }
}

extension OgmiosEndpointsStateMachine.Endpoint {
  fileprivate mutating func set(_ new: ConnectionStatus, _ now: Duration) {
    guard status != new else { return }
    (status, since) = (new, now)
  }
}
