// SPDX-License-Identifier: Apache-2.0

#if canImport(Network)
  import Foundation
  import Network

  /// What Apple's systems say about the path to the internet.
  ///
  /// A path that is satisfied says that trying is worth it, not that something will arrive.
  public final class PathSource: ConnectivitySource {
    private struct State {
      var monitor: NWPathMonitor?
      var tell: (@Sendable (Connectivity.Observation) -> Void)?
      var isEnded = false
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "mainstay.path")

    /// Makes a source.
    public init() {}

    deinit { stop() }

    /// Begins to listen, on a queue of its own.
    public func start(_ tell: @escaping @Sendable (Connectivity.Observation) -> Void) {
      state.withLock { $0.tell = tell }
      listen()
    }

    /// Listens with a new monitor: after a suspension the old one may have missed something.
    public func resync() { listen() }

    /// Listens no longer.
    public func stop() {
      let monitor = state.withLock { state in
        state.isEnded = true
        defer { (state.monitor, state.tell) = (nil, nil) }
        return state.monitor
      }
      monitor?.cancel()
    }

    private func listen() {
      let monitor = NWPathMonitor()
      let (tell, old) = state.withLock { state in
        guard !state.isEnded, let tell = state.tell else {
          return (nil as (@Sendable (Connectivity.Observation) -> Void)?, nil as NWPathMonitor?)
        }
        defer { state.monitor = monitor }
        return (tell, state.monitor)
      }
      old?.cancel()
      guard let tell else { return }
      monitor.pathUpdateHandler = { tell(Connectivity.Observation($0)) }
      monitor.start(queue: queue)
    }
  }

  extension Connectivity.Observation {
    fileprivate init(_ path: NWPath) {
      self.init()
      interfaces = path.availableInterfaces.reduce(into: []) { kinds, interface in
        let kind: Connectivity.Interface
        switch interface.type {
        case .wifi: kind = .wifi
        case .cellular: kind = .cellular
        case .wiredEthernet: kind = .wired
        case .loopback: return
        case .other: kind = .other
        @unknown default: kind = .unknown
        }
        if !kinds.contains(kind) { kinds.append(kind) }
      }
      isExpensive = path.isExpensive
      isConstrained = path.isConstrained
      switch path.status {
      case .satisfied: (link, route) = (.up, .present)
      // The system brings a path up when somebody tries.
      case .requiresConnection: (link, route) = (interfaces.isEmpty ? .unknown : .up, .unknown)
      case .unsatisfied: (link, route) = (interfaces.isEmpty ? .down : .up, .missing)
      @unknown default: (link, route) = (.unknown, .unknown)
      }
      guard link == .up, route == .present else { return }
      let names = path.availableInterfaces.map(\.name)
      identity = (names + path.gateways.map { "\($0)" }).sorted().joined(separator: " ")
    }
  }
#endif
