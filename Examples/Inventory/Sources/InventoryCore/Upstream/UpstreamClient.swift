// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
internal import MainstayAsyncHTTPClient
package import MainstayHTTP

/// Talks to the service: typed calls, each with a limit, that tell the truth about what was sent.
package final class UpstreamClient: Sendable {
  let settings: Settings
  package let evidence: ConnectivityEvidence
  /// The circuits, by what they guard.
  package let catalogBreaker: CircuitBreaker
  package let twinBreaker: CircuitBreaker
  /// Who is signed in; nil where nobody has to be.
  package let authorization: HTTPAuthorization?
  /// What each way to the service does to a call.
  package let pipelines: [PipelineExplanation]
  /// Lookups by a person: repeated within a limit.
  let lookups: ResilientClient
  /// Lookups by the queue, which repeats them itself.
  let queuedLookups: ResilientClient
  /// Reads of twins and effects.
  let reads: ResilientClient
  /// Writes: one attempt each, since the queue asks before it repeats one.
  let writes: ResilientClient
  private let transport: AsyncHTTPClientTransport

  /// Makes a client; nothing is sent yet.
  package init(
    origin: URL, settings: Settings = Settings(), evidence: ConnectivityEvidence,
    clock: some Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date
  ) {
    let (catalog, twins) = (settings.breaker("catalog"), settings.breaker("twins"))
    let pace = Pace(
      patience: settings.patience, maximumHold: settings.maximumHold, clock: clock)
    let lookups = Pipeline("catalog") {
      Deadline(settings.lookupLimit)
      Retry(maximumAttempts: 3, backoff: settings.backoff)
      pace
      catalog
      Timeout(settings.requestLimit)
    }
    let queuedLookups = Pipeline("queued catalog") {
      pace
      catalog
      Timeout(settings.requestLimit)
    }
    let reads = Pipeline("twins") {
      pace
      twins
      Timeout(settings.requestLimit)
    }
    let writes = Pipeline("twin writes") {
      pace
      twins
      Timeout(settings.requestLimit, disposition: .unknownOutcome)
    }
    let transport = AsyncHTTPClientTransport(configuration: settings.connections)
    let paced = PacedTransport(transport: transport, pace: pace, now: now)
    let authorization = settings.authorization
    func client<P: ConcurrentPolicy>(under pipeline: Pipeline<P>) -> ResilientClient {
      ResilientClient(
        pipeline.name, at: origin, over: paced, settings: settings.http,
        authorization: authorization, onExchange: { evidence.heard($0, at: now()) }
      ) { _ in pipeline }
    }
    (self.lookups, self.queuedLookups) = (client(under: lookups), client(under: queuedLookups))
    (self.reads, self.writes) = (client(under: reads), client(under: writes))
    pipelines = [
      lookups.explain(), queuedLookups.explain(), reads.explain(), writes.explain(),
    ]
    (catalogBreaker, twinBreaker) = (catalog, twins)
    (self.settings, self.evidence) = (settings, evidence)
    (self.transport, self.authorization) = (transport, authorization)
  }

  /// Ends all connections.
  package func shutDown() async { await transport.shutDown() }
}
