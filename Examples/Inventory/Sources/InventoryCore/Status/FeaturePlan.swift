// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Which features there are, and what takes them away.
struct FeaturePlan: Sendable {
  /// Work without a network, and write.
  static let local = ["scan", "add", "edit", "photo", "search", "delete"]
  static let remote = ["enrichment", "sync", "recall-check", "resale-value", "recipe-ideas"]
  /// Those that only read, so that storage that cannot be written leaves them.
  static let reading: Set = ["search", "recall-check", "resale-value", "recipe-ideas"]
  /// Those that answer a question of the person, so that a circuit that is open stands in the way.
  static let lookups: Set = ["enrichment", "recall-check", "resale-value", "recipe-ideas"]

  let connectivity: ConnectivityEvidence.Reading.State
  let circuits: [StatusDocument.Circuit]
  /// Why nothing can be written; nil where it can.
  let storage: AppError?

  /// How much works, and why it is not more.
  var level: (StatusDocument.FeatureLevel, [String]) {
    let (level, reasons) = networkLevel
    guard let unwritable else { return (level, reasons) }
    return (.minimal, [unwritable] + reasons)
  }

  private var unwritable: String? {
    storage.map {
      "\($0.message.description) What is saved can be read, and nothing can be changed."
    }
  }

  private var networkLevel: (StatusDocument.FeatureLevel, [String]) {
    switch connectivity {
    case .offline:
      return (.offline, ["The service can’t be reached. Changes are kept and sent later."])
    case .portal:
      return (.offline, ["The network asks to sign in. Changes are kept and sent later."])
    case .online, .unknown:
      let open = circuits.filter { $0.state == .open || $0.state == .isolated }
      let reasons = open.map {
        let what = $0.name == "catalog" ? "looking things up" : "sending changes"
        return "The service had problems, so \(what) takes a break."
      }
      if open.isEmpty { return (.full, []) }
      return (open.count == circuits.count ? .basic : .limited, reasons)
    }
  }

  var features: [StatusDocument.Feature] {
    Self.local.map { feature($0, needs: [], reason: nil) }
      + Self.remote.map { feature($0, needs: ["network"], reason: networkReason($0)) }
  }

  private func feature(
    _ name: String, needs: [String], reason: String?
  ) -> StatusDocument.Feature {
    let unwritable = Self.reading.contains(name) ? nil : storage?.message.description
    let reason = unwritable ?? reason
    return StatusDocument.Feature(
      name: name, available: reason == nil, needs: needs, reason: reason)
  }

  private func networkReason(_ name: String) -> String? {
    let isOpen = circuits.contains { $0.name == "catalog" && $0.state == .open }
    switch connectivity {
    case .offline: return "It needs the network, and the service can’t be reached."
    case .portal: return "It needs the network, and the network asks to sign in first."
    case .online, .unknown:
      let isAway = isOpen && Self.lookups.contains(name)
      return isAway ? "The service takes a break after problems." : nil
    }
  }
}
