// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Hummingbird
package import InventoryCore
import Logging
import Mainstay
import MainstayServer
import NIOCore

/// The example app as a server: the pages and routes of the contract over an inventory.
package struct InventoryServer: Sendable {
  private let inventory: Inventory
  private let host: String
  private let port: Int
  private let pages: PageRenderer
  private let files = PublicFiles()
  private let load: Load

  /// Names where it listens; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - inventory: What it serves, already started.
  ///   - host: The address to listen on.
  ///   - port: The port; with 0 the system chooses a free one.
  ///   - load: How much it takes on at once.
  ///   - clock: The clock by which toasts go away, and pages stop waiting for an answer.
  /// - Throws: `StartFailure` where a template cannot be read.
  package init(
    _ inventory: Inventory, host: String = "127.0.0.1", port: Int = 8080,
    load: Load = Load(), clock: any Clock<Duration> = ContinuousClock()
  ) throws(StartFailure) {
    self.inventory = inventory
    self.host = host
    self.port = port
    self.load = load
    pages = try PageRenderer(inventory, Screens(inventory, clock: clock))
  }

  /// The server.
  ///
  /// - Parameter onListening: Called with the port as soon as it listens.
  /// - Returns: The server, which is not started yet.
  package func application(
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    var logger = Logger(label: "inventory")
    logger.logLevel = .critical
    return Application(
      router: router(), server: .http1(configuration: ConnectionLimits().configuration),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: "inventory"),
      onServerRunning: { await onListening($0.localAddress?.port ?? 0) },
      logger: logger)
  }

  private func router() -> Router<VisitContext> {
    let router = Router(context: VisitContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: ProblemMiddleware(inventory: inventory, pages: pages))
    router.add(middleware: HostMiddleware(AllowedHosts([host])))
    router.add(middleware: LoadSheddingMiddleware(load.shedding))
    router.add(middleware: DeadlineMiddleware(load.deadline))
    router.add(middleware: OriginMiddleware())
    let table = RouteTable(router: router)
    ItemRoutes(inventory: inventory).add(to: table)
    let writes = KeyedWrites(inventory.answers ?? InMemoryIdempotencyStore())
    StandingRoutes(inventory: inventory, writes: writes).add(to: table)
    EventRoutes(inventory: inventory, screens: pages.screens).add(to: table)
    PageRoutes(pages: pages).add(to: table)
    ItemForms(pages: pages).add(to: table)
    StandingForms(pages: pages).add(to: table)
    ScreenForms(pages: pages).add(to: table)
    GalleryRoutes(pages: pages).add(to: table)
    files.add(to: table)
    DashboardRoutes(inventory: inventory).add(to: router)
    router.addHealth(health)
    return router
  }

  /// Whether it can serve: it reads its items and keeps changes, with a network or without.
  private var health: Health {
    Health(
      [Health.Check("items") { [inventory] in _ = try await inventory.store.items(limit: 1) }],
      level: inventory.levels.controller, unreadyAt: [.minimal])
  }

  /// Serves until the process is asked to stop by SIGINT or SIGTERM.
  ///
  /// - Parameter onListening: Called with the port as soon as it listens.
  /// - Throws: `StartFailure` when it cannot listen.
  package func run(onListening: @escaping @Sendable (Int) async -> Void) async throws {
    do {
      try await application(onListening: onListening).runService()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw StartFailure("Port \(port) of \(host) is in use; choose another with --port.")
    } catch let error as IOError {
      let reason = String(cString: strerror(error.errnoCode))
      throw StartFailure("It cannot listen on \(host):\(port): \(reason).")
    } catch {
      throw StartFailure("It cannot listen on \(host):\(port): \(error).")
    }
  }
}

/// Why the program cannot start, in one sentence.
package struct StartFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
