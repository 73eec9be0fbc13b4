// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayOgmios

/// What the servers answered, for people and for programs.
struct StatusReport: Encodable {
  /// How the program ends.
  enum Ending: Int32 {
    case well = 0
    case unwell = 1
    case wrongOptions = 2
    case unreachable = 3
  }

  struct Tip: Encodable {
    let slot: UInt64
    let id: String
  }

  struct Health: Encodable {
    let state: String
    let version: String?
    let network: String?
    let era: String?
    let synchronization: Double?
  }

  struct Endpoint: Encodable {
    let name: String
    let connection: String
  }

  struct Failure: Encodable {
    let question: String
    let code: String
    let message: String
    let suggestion: String
  }

  private(set) var endpoint: String?
  private(set) var status = ""
  private(set) var tip: Tip?
  private(set) var height: UInt64?
  private(set) var epoch: UInt64?
  private(set) var health: Health?
  private(set) var endpoints: [Endpoint] = []
  private(set) var failures: [Failure] = []

  /// Asks, and takes the monitor's word for how it stands and what may be done.
  init(asking monitor: ServiceMonitor<OgmiosClient>) async {
    await ask("health", of: monitor) { client, report in
      let health = try await client.health()
      report.health = Health(
        state: health.state.rawValue, version: health.version, network: health.network,
        era: health.era, synchronization: health.synchronization)
    }
    await ask("tip", of: monitor) { client, report in
      if case .block(let slot, let id) = try await client.networkQuery.tip.execute() {
        report.tip = Tip(slot: slot, id: id)
      }
    }
    await ask("height", of: monitor) { client, report in
      report.height = try await client.networkQuery.blockHeight.execute()
    }
    await ask("epoch", of: monitor) { client, report in
      report.epoch = try await client.ledgerStateQuery.epoch.execute()
    }
    status = monitor.status.rawValue
    let status = monitor.client.status
    endpoint = status.endpointInUse
    endpoints = status.endpoints.map {
      Endpoint(name: $0.name, connection: $0.connection.rawValue)
    }
  }

  private mutating func ask(
    _ question: String, of monitor: ServiceMonitor<OgmiosClient>,
    _ operation: (OgmiosClient, inout StatusReport) async throws -> Void
  ) async {
    do throws(AppError) {
      try await monitor.run(question) { try await operation($0, &self) }
    } catch {
      failures.append(
        Failure(
          question: question, code: error.code.rawValue, message: error.message.description,
          suggestion: monitor.suggestion(for: error).description))
    }
  }

  var ending: Ending {
    if endpoint == nil { return .unreachable }
    return failures.isEmpty && health?.state == "synchronized" ? .well : .unwell
  }

  /// The report as JSON, the members in the order of their names.
  func document() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  /// The report for people.
  func lines() -> String {
    func line(_ name: String, _ text: String?) -> String? {
      text.map { name.padding(toLength: 10, withPad: " ", startingAt: 0) + $0 }
    }
    let words = ["synchronized": "synchronized", "catchingUp": "catching up"]
    let node = health.map { health in
      let share = health.synchronization.map { " (\(Int(($0 * 100).rounded(.down))) %)" }
      return (words[health.state] ?? "no connection to its node") + (share ?? "")
    }
    var lines = [
      line("Server", endpoint ?? "none answered"), line("Status", status),
      line("Node", node), line("Version", health?.version), line("Network", health?.network),
      line("Era", health?.era), line("Epoch", epoch.map(String.init)),
      line("Height", height.map(String.init)),
      line("Tip", tip.map { "slot \($0.slot), block \($0.id)" }),
    ].compactMap(\.self)
    lines += endpoints.filter { $0.name != endpoint }.map { endpoint in
      line("Other", "\(endpoint.name): \(endpoint.connection)") ?? ""
    }
    var told: Set<String> = []
    for failure in failures where told.insert(failure.code).inserted {
      lines.append("")
      lines.append("No \(failure.question): \(failure.message)")
      lines.append(failure.suggestion)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
