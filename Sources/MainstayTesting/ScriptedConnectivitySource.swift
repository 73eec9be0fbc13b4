// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// A source for a `ConnectivityMonitor` that says what a test wants, when it wants it.
///
/// ```swift
/// let source = ScriptedConnectivitySource(.online)
/// let monitor = ConnectivityMonitor(source: source, clock: clock, seed: 1)
/// source.say(.offline)  // and `monitor.current.standing` is that
/// ```
public final class ScriptedConnectivitySource: ConnectivitySource {
  private struct State {
    var last: Connectivity.Observation
    var tell: (@Sendable (Connectivity.Observation) -> Void)?
    var resyncs = 0
    var isStopped = false
  }

  private let state: Locked<State>

  /// Makes a source.
  ///
  /// - Parameter first: What it says at the beginning; the default is that it knows nothing.
  public init(_ first: Connectivity.Observation = Connectivity.Observation()) {
    state = Locked(State(last: first))
  }

  /// How often it was asked to look at everything anew.
  public var resyncs: Int { state.withLock { $0.resyncs } }

  /// Whether it was told to end.
  public var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Says something; on return the monitor knows.
  public func say(_ observation: Connectivity.Observation) {
    let tell = state.withLock { state in
      state.last = observation
      return state.isStopped ? nil : state.tell
    }
    tell?(observation)
  }

  /// Begins, and says how things stand.
  public func start(_ tell: @escaping @Sendable (Connectivity.Observation) -> Void) {
    let first = state.withLock { state in
      state.tell = tell
      return state.last
    }
    tell(first)
  }

  /// Counts, and says again what it said last.
  public func resync() {
    let (tell, last) = state.withLock { state in
      state.resyncs += 1
      return (state.isStopped ? nil : state.tell, state.last)
    }
    tell?(last)
  }

  /// Ends.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      state.tell = nil
    }
  }
}

extension Connectivity.Observation {
  /// A wireless network with a way out.
  public static let online = online(by: .wifi)

  /// No network.
  public static let offline = Connectivity.Observation(link: .down, route: .missing)

  /// A network with a way out.
  ///
  /// - Parameters:
  ///   - interface: What the device is connected by.
  ///   - identity: Tells it from another one; the default is "home".
  /// - Returns: What a system would say.
  public static func online(
    by interface: Connectivity.Interface, identity: String = "home"
  ) -> Connectivity.Observation {
    Connectivity.Observation(
      link: .up, route: .present, interfaces: [interface], isExpensive: interface == .cellular,
      identity: identity)
  }
}
