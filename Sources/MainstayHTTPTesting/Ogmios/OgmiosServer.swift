// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

/// A server that speaks Ogmios, over a WebSocket and HTTP on one port, with a made-up node behind.
///
/// It answers all 35 methods, and keeps to each connection its place on the chain, its view of the
/// ledger and its view of the waiting transactions. What happens on the chain, a test says by
/// ``change(_:)``, and what goes wrong by ``inject(_:into:times:takesEffect:)``.
///
/// ```swift
/// let server = try await OgmiosServer()
/// server.inject(.failure(.init(2003)), into: "queryLedgerState/epoch")
/// ```
///
/// It listens for as long as somebody holds it.
public final class OgmiosServer: Sendable {
  /// How it behaves.
  public struct Settings: Sendable {
    /// The version whose answers it gives; the default is 7.0.
    public var version = Version.v70
    /// Whether it leaves `method` out of answers, as with `--strict-rpc`; the default is false.
    public var isStrict = false
    /// Whether it adds bytes to blocks, as with `--include-cbor`; the default is false.
    public var includesCBOR = false
    /// How long after its last message a connection is closed; more than zero, the default is 90 s.
    public var idleTimeout = Duration.seconds(90)
    /// How many questions for blocks of one connection are on their way to the node at once, as
    /// with `--max-in-flight`; 1 or more, the default is 1,000.
    ///
    /// Those beyond it wait; they are answered in their order.
    public var maximumInFlight = 1_000
    /// The port on loopback; the default, 0, is a free one.
    public var port = 0
    /// Who it is, for `wss` and `https`; the default, nil, is neither.
    ///
    /// Ogmios itself has no TLS: this is what stands in front of it.
    public var tls: CertificateAuthority.Identity?

    /// Makes settings with the defaults.
    public init() {}
  }

  /// The port.
  public let port: Int
  private let isSecure: Bool
  private let world: OgmiosWorld
  private let server: WebSocketServer

  /// Listens.
  ///
  /// - Parameters:
  ///   - ledger: What its node knows; the default is a chain of ten blocks.
  ///   - settings: How it behaves.
  ///   - clock: The clock by which connections are idle; the default is the continuous one.
  /// - Throws: What keeps it from listening.
  public init(
    ledger: OgmiosLedger = OgmiosLedger(), settings: Settings = Settings(),
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws {
    let world = OgmiosWorld(ledger, settings)
    self.world = world
    isSecure = settings.tls != nil
    server = try await WebSocketServer(port: settings.port, tls: settings.tls) { request in
      world.receive(request)
    } _: { connection in
      await OgmiosVisit(connection, world).run(idleTimeout: settings.idleTimeout, clock: clock)
    }
    port = server.port
  }

  /// The address for WebSockets, such as `ws://127.0.0.1:1337`.
  public var socketAddress: String {
    isSecure ? "wss://localhost:\(port)" : "ws://127.0.0.1:\(port)"
  }

  /// The address for HTTP, such as `http://127.0.0.1:1337`.
  public var httpAddress: String {
    isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
  }

  /// What the node knows right now.
  public var ledger: OgmiosLedger { world.ledger }

  /// Something happens on the chain or in the node; who waits for that is answered.
  ///
  /// It happens as a whole, between two requests, and nothing that a client does meanwhile is lost.
  /// A node that goes away closes all connections with -32000.
  ///
  /// - Parameter change: What happens. It is asked again where the ledger has changed meanwhile, so
  ///   it does nothing else.
  public func change(_ change: @Sendable (inout OgmiosLedger) -> Void) { world.change(change) }

  /// Lets requests go wrong.
  ///
  /// - Parameters:
  ///   - fault: What becomes of a request.
  ///   - method: Which requests; the default, nil, is those of any method.
  ///   - times: How many requests; 1 or more, the default is 1.
  ///   - takesEffect: Whether the request does its work nevertheless; the default is false.
  public func inject(
    _ fault: Fault, into method: String? = nil, times: Int = 1, takesEffect: Bool = false
  ) {
    world.inject(
      OgmiosWorld.Planned(fault: fault, method: method, takesEffect: takesEffect), times: times)
  }

  /// The methods that were called, in order, over WebSockets and HTTP.
  public var calls: [String] { world.calls.events }

  /// Waits until so many methods were called, those included that were called already, or the own
  /// task is cancelled.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  public func calls(
    atLeast count: Int, fileID: String = #fileID, line: Int = #line
  ) async {
    await world.calls.events(atLeast: count, fileID: fileID, line: line)
  }

  /// The most questions for blocks of one connection that were on their way to the node at once.
  public var mostInFlight: Int { world.mostInFlight }

  /// How many connections are open.
  public var openConnections: Int { server.openConnections }

  /// What happened on its connections, below Ogmios.
  public var log: EventLog<WebSocketServer.Event> { server.log }

  /// Ends all connections without a word, and refuses others.
  public func shutDown() { server.shutDown() }
}

extension OgmiosServer {
  /// What becomes of a request in the place of an answer.
  public enum Fault: Sendable, Hashable {
    /// An error is answered.
    case failure(Failure)
    /// A text is answered as it is; over HTTP with 200 where it is an object, else with 500.
    case text(String)
    /// The WebSocket is closed with a frame; over HTTP the connection is.
    case close(code: Int, reason: String)
    /// The connection ends without a word.
    case hangUp
    /// The connection is reset.
    case reset
    /// Nobody answers.
    case silence
    /// Over HTTP a page to sign in with is answered; a WebSocket breaks off.
    case portal

    /// The node behind the server has gone.
    public static let nodeLost = Fault.close(
      code: 1000,
      reason: #"{"id":null,"code":-32000,"message":"The connection to the node was lost."}"#)

    /// The node is too old for a question; the reason is longer than RFC 6455 allows, as that of
    /// Ogmios is.
    public static let nodeTooOld = Fault.close(
      code: 1000,
      reason: #"{"id":null,"code":-32001,"message":"The node knows no such question: "#
        + #"it is of a version before the one that brought it, so it has to be updated."}"#
    )
  }
}
