// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Connectivity {
  /// One thing that an opinion rests on.
  public struct Evidence: Sendable, Hashable, Codable {
    /// What was found.
    public enum Finding: String, Sendable, Hashable, Codable, CaseIterable {
      /// An interface is up.
      case linkUp
      /// No interface is up.
      case linkDown
      /// There is a way out.
      case routePresent
      /// There is no way out.
      case routeMissing
      /// What was sent was answered by whom it was sent to.
      case answered
      /// A page to sign in answered instead.
      case portal
      /// What was sent was not answered.
      case unanswered
    }

    /// Who found it.
    public let source: Source
    /// What was found.
    public let finding: Finding
    /// What the error was, for a call that failed.
    public let kind: ErrorKind?
    /// When it was found.
    public let date: Date
    /// How much it weighs by now, 0 to 1.
    public let confidence: Double

    /// Makes a piece of evidence.
    public init(
      source: Source, finding: Finding, kind: ErrorKind? = nil, date: Date, confidence: Double
    ) {
      self.source = source
      self.finding = finding
      self.kind = kind
      self.date = date
      self.confidence = confidence
    }
  }

  /// What became of a call of the app's own.
  public enum Traffic: Sendable, Hashable {
    /// It was answered by whom it was sent to, and the answer was understood.
    case delivered
    /// It failed.
    case failed(ErrorKind)
  }

  /// What the system says, in the same words on every platform: two that are equal mean the same.
  public struct Observation: Sendable, Hashable {
    /// Whether there is a network to speak of.
    public var link: Link
    /// Whether there is a way out of it.
    public var route: Route
    /// What the device is connected by, the preferred one first.
    public var interfaces: [Interface]
    /// Whether each byte costs money.
    public var isExpensive: Bool
    /// Whether the person asked to save data.
    public var isConstrained: Bool
    /// Tells one network from another; never shown or stored.
    public var identity: String

    /// Makes an observation; without arguments it says that nothing is known.
    public init(
      link: Link = .unknown, route: Route = .unknown, interfaces: [Interface] = [],
      isExpensive: Bool = false, isConstrained: Bool = false, identity: String = ""
    ) {
      self.link = link
      self.route = route
      self.interfaces = interfaces
      self.isExpensive = isExpensive
      self.isConstrained = isConstrained
      self.identity = identity
    }

    /// Whether it says by itself that nothing can arrive.
    var isNegative: Bool { link == .down || route == .missing }
    /// Whether it says by itself that something can.
    var isPositive: Bool { link == .up && route == .present }
  }
}

extension AppError {
  /// Whether work that ended so says something about the connection: it need not have used it.
  ///
  /// What no service has answered, such as a form that is not filled in, shows no connection.
  ///
  /// - Parameter usesNetwork: Whether the work is known to go over the network.
  /// - Returns: Whether a monitor is to be told.
  package func isOfConnection(usesNetwork: Bool) -> Bool {
    switch kind.sign {
    case .answered: httpStatus != nil
    case .unreachable, .portal: true
    case .silent: usesNetwork || kind == .network || metadata["http.sent"] != nil
    case .suspicious: usesNetwork || httpStatus != nil
    case .nothing: false
    }
  }
}

extension ErrorKind {
  /// What the failure of a call says about the connection.
  enum Sign: Sendable {
    /// Whom it was sent to has answered: the connection is well.
    case answered
    /// The device itself found no way.
    case unreachable
    /// Nothing came back; that may be the fault of the other side alone.
    case silent
    /// Somebody else answered.
    case portal
    /// Somebody may have answered for the other side, so it is worth a probe.
    case suspicious
    /// It never got as far as the network.
    case nothing
  }

  var sign: Sign {
    switch self {
    case .server, .throttled, .unauthorized, .notFound, .conflict, .validation: .answered
    case .offline: .unreachable
    case .network, .timeout: .silent
    case .portal: .portal
    case .insecure, .decoding, .denied: .suspicious
    default: .nothing
    }
  }
}
