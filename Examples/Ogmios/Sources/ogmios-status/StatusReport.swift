// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
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
    let suggestion: String?
  }

  private(set) var endpoint: String?
  private(set) var status = ""
  private(set) var tip: Tip?
  private(set) var height: UInt64?
  private(set) var epoch: UInt64?
  private(set) var health: Health?
  private(set) var endpoints: [Endpoint] = []
  private(set) var failures: [Failure] = []

  init(asking client: OgmiosClient) async {
    await ask("health") { report in
      let health = try await client.health()
      report.health = Health(
        state: health.state.rawValue, version: health.version, network: health.network,
        era: health.era, synchronization: health.synchronization)
    }
    await ask("tip") { report in
      if case .block(let slot, let id) = try await client.networkQuery.tip.execute() {
        report.tip = Tip(slot: slot, id: id)
      }
    }
    await ask("height") { report in
      report.height = try await client.networkQuery.blockHeight.execute()
    }
    await ask("epoch") { report in
      report.epoch = try await client.ledgerStateQuery.epoch.execute()
    }
    let status = client.status
    self.status = status.connection.rawValue
    endpoint = status.endpointInUse
    endpoints = status.endpoints.map {
      Endpoint(name: $0.name, connection: $0.connection.rawValue)
    }
  }

  private mutating func ask(
    _ question: String, _ operation: (inout StatusReport) async throws -> Void
  ) async {
    do {
      try await operation(&self)
    } catch {
      let error = AppError.from(error)
      failures.append(
        Failure(
          question: question, code: error.code.rawValue, message: error.message.description,
          suggestion: error.suggestion?.description))
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
      if let suggestion = failure.suggestion { lines.append(suggestion) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
