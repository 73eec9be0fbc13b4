// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Hummingbird
import Logging
import NIOCore

/// The service that the example app talks to, as one value to start and to look into.
package struct Upstream: Sendable {
  package struct Settings: Sendable {
    /// Where it listens.
    package var host = "127.0.0.1"

    /// The port; with 0 the system chooses a free one.
    package var port = 8081

    /// Where it keeps its journal and photos; nil for memory, which is lost when it stops.
    package var data: URL?

    /// Whether faults can be switched and the ledger be read.
    package var isControlAllowed = false

    package init() {}
  }

  package let store: UpstreamStore
  package let faults: FaultControl
  private let settings: Settings
  private let now: @Sendable () -> Timestamp

  /// Reads what an earlier process left.
  ///
  /// - Throws: `StartFailure` when the data folder cannot be used.
  package init(
    _ settings: Settings = Settings(), clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) throws(StartFailure) {
    self.settings = settings
    self.now = now
    store = try UpstreamStore(in: settings.data, now: now)
    faults = FaultControl(clock: clock)
  }

  /// The server.
  ///
  /// - Parameter onListening: Called with the port as soon as it listens.
  /// - Returns: The server, which is not started yet.
  package func application(
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    var logger = Logger(label: "inventory-upstream")
    logger.logLevel = .critical
    return Application(
      router: router(), server: .http1(configuration: .init(idleTimeout: .seconds(60))),
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "inventory-upstream"),
      onServerRunning: { await onListening($0.localAddress?.port ?? 0) },
      logger: logger)
  }

  private func router() -> Router<UpstreamContext> {
    let router = Router(context: UpstreamContext.self, options: .autoGenerateHeadEndpoints)
    router.add(
      middleware: LedgerMiddleware(store: store, now: now, isComplete: settings.isControlAllowed))
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: HostMiddleware(host: settings.host))
    router.add(middleware: FaultMiddleware(faults: faults))
    router.add(middleware: OriginMiddleware())
    let table = RouteTable(router: router)
    let writes = WriteFlow(store: store, faults: faults)
    BookRoutes(catalog: Catalog()).add(to: table)
    TwinRoutes(store: store, writes: writes).add(to: table)
    PhotoRoutes(store: store, writes: writes).add(to: table)
    FeatureRoutes().add(to: table)
    if settings.isControlAllowed { ControlRoutes(store: store, faults: faults).add(to: table) }
    return router
  }
}

extension Upstream {
  /// Serves until the process is asked to stop by SIGINT or SIGTERM.
  ///
  /// - Parameter onListening: Called with the port as soon as it listens.
  /// - Throws: `StartFailure` when it cannot listen.
  package func run(onListening: @escaping @Sendable (Int) async -> Void) async throws {
    do {
      try await application(onListening: onListening).runService()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw StartFailure(
        "Port \(settings.port) of \(settings.host) is in use; choose another with --port.")
    } catch let error as IOError {
      let reason = String(cString: strerror(error.errnoCode))
      throw StartFailure("It cannot listen on \(settings.host):\(settings.port): \(reason).")
    } catch {
      throw StartFailure("It cannot listen on \(settings.host):\(settings.port): \(error).")
    }
  }
}
