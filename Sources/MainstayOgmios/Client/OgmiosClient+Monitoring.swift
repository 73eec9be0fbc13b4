// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Mainstay
public import MainstayHTTP
internal import MainstayJSONRPC

extension OgmiosClient {
  /// Makes a monitor that is told of all calls of this client, whoever makes them.
  ///
  /// It has the status of the client, with `reconnecting` while a connection that was lost is
  /// opened again and `failed` once that has failed, and the last error. It has the last 100
  /// failures by method, each recorded once after all attempts at all endpoints, and for each
  /// number what may be done. It is told for as long as somebody holds it, and holds the client.
  ///
  /// - Parameters:
  ///   - name: The name of the service, for logs and diagnostics; by default `ogmios`.
  ///   - monitor: Who tells the team; nil, the default, for nobody.
  ///   - logger: Where failures are written; nil, the default, for nowhere.
  /// - Returns: The monitor.
  public func monitored(
    _ name: String = "ogmios", reportingTo monitor: ErrorMonitor? = nil, logger: Logger? = nil
  ) -> ServiceMonitor<OgmiosClient> {
    let own = ServiceMonitor(
      name, of: self, initially: status.connection, reportingTo: monitor, logger: logger)
    report(to: own)
    return own
  }

  /// How many are told what happens to its connections.
  package var listeners: Int { links.reduce(0) { $0 + $1.listeners } }

  /// Tells a monitor with settings of your own of all calls of this client.
  ///
  /// What is called within its own `run` is recorded by that, once.
  ///
  /// - Parameter monitor: The monitor, which is told for as long as somebody holds it.
  public func report(to monitor: ServiceMonitor<OgmiosClient>) {
    audience.add { [weak monitor] told in
      guard let monitor else { return false }
      monitor.note(told.ending, during: told.operation, standing: told.status)
      return true
    }
    for (index, link) in links.enumerated() {
      guard let events = link.events else { continue }
      Task { [weak self, weak monitor] in
        for await event in events {
          // Whatever happens is the time to see that nobody holds the monitor any more.
          guard let self, let monitor else { return }
          guard event.isOfConnection else { continue }
          // Again where a call has ended meanwhile, whose word would be lost.
          var told: ConnectionStatus?
          while told != standing(of: index) {
            told = standing(of: index)
            if let told { monitor.note(.unchanged, during: "", standing: told) }
          }
        }
      }
    }
  }

  /// How the client stands, where the connection of an endpoint may have been lost meanwhile.
  ///
  /// What calls say goes before what the connection says, except while that is opened again, and
  /// where that fails. Whoever was answered over HTTP since then is connected all the same.
  private func standing(of index: Int) -> ConnectionStatus {
    let (connection, inUse) = (status.connection, indexInUse)
    let link = links[index]
    guard inUse == index, connection == .connected,
      let own = link.socketStatus, own == .reconnecting || own == .failed,
      !link.places.isServedByHTTP.withLock({ $0 })
    else { return connection }
    return own
  }

  /// Makes a call, and tells how it ended.
  func watching<T>(_ method: String, _ operation: () async throws -> T) async throws -> T {
    guard audience.isThere else { return try await operation() }
    do {
      let result = try await operation()
      tell(.succeeded, of: method)
      return result
    } catch {
      // That nothing has happened on the chain in this time is no failure.
      let isImpatience = (error as? OgmiosError)?.isImpatience ?? false
      tell(isImpatience ? .unchanged : .failed(AppError.from(error)), of: method)
      throw error
    }
  }

  private func tell(_ ending: ServiceCallEnding, of method: String) {
    var told = status.connection
    audience.tell(.init(operation: method, ending: ending, status: told))
    // Again where another call has ended meanwhile, whose word would be lost.
    while told != status.connection {
      told = status.connection
      audience.tell(.init(operation: method, ending: .unchanged, status: told))
    }
  }
}

/// Who is told how the calls of a client ended.
final class OgmiosAudience: Sendable {
  struct Told: Sendable {
    let operation: String
    let ending: ServiceCallEnding
    let status: ConnectionStatus
  }

  /// Tells somebody, and says whether there still is anybody.
  typealias Listener = @Sendable (Told) -> Bool

  private let listeners = Locked(OgmiosListenersStateMachine<Listener>())

  var isThere: Bool { listeners.withLock { !$0.all.isEmpty } }

  func add(_ listener: @escaping Listener) { listeners.withLock { $0.add(listener) } }

  func tell(_ told: Told) {
    let all = listeners.withLock { $0.all }
    let gone = all.filter { !$0.listener(told) }.map(\.number)
    if !gone.isEmpty { listeners.withLock { $0.remove(gone) } }
  }
}

extension OgmiosError {
  /// Whether somebody waited for something to happen, and nothing did.
  var isImpatience: Bool {
    kind == .timeout && !wasNeverSent && OgmiosMethod.isWaiting(method)
  }
}

extension JSONRPCEvent {
  /// Whether it says how the connection stands.
  fileprivate var isOfConnection: Bool {
    switch self {
    case .connected, .disconnected, .connectingFailed: true
    case .requested, .answered, .failed, .pushed, .ignored: false
    }
  }
}
