// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Logging
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayServer
import NIOCore

/// A service whose dashboard has much to show; it prints where it listens.
///
/// Its arguments are the number of dead letters, how often it looks, in milliseconds, and a folder
/// for the outbox, which is kept in memory where there is none. What a test wants to happen it asks
/// for below `/happen`.
@main struct DashboardChild {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().map(\.self)
    let letters = arguments.first.flatMap { Int($0) } ?? 0
    let interval = arguments.count > 1 ? Int64(arguments[1]) ?? 5_000 : 5_000
    let folder = arguments.count > 2 ? URL(filePath: arguments[2]) : nil
    let service = try await Service(letters: letters, folder: folder)
    var dashboard = service.dashboard
    dashboard.sampleInterval = .milliseconds(interval)
    let router = Router(context: VisitContext.self)
    dashboard.mount(on: router)
    service.addHappenings(to: router)
    var logger = Logger(label: "dashboard")
    logger.logLevel = .critical
    let application = Application(
      router: router, server: .http1(configuration: ConnectionLimits().configuration),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        let line = "dashboard listens on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }, logger: logger)
    try await application.runService()
    await service.outbox.shutDown()
  }
}

/// A visit whose address is known.
struct VisitContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}
