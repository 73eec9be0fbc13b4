// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay

/// How much of the app works, from what is known of the service, of the files and of the device.
///
/// One at a time looks, so that what somebody saw before never takes the place of what is so now.
package actor Levels {
  /// Knows the level, and when it may change.
  package nonisolated let controller: DegradationController
  private let evidence: ConnectivityEvidence
  private let storage: StorageEvidence
  private let breakers: [CircuitBreaker]

  init(
    _ settings: Inventory.Settings, evidence: ConnectivityEvidence, storage: StorageEvidence,
    breakers: [CircuitBreaker], now: @escaping @Sendable () -> Date
  ) {
    controller = DegradationController(
      .inventory, dwell: settings.levelDwell, riseDelay: settings.levelRiseDelay, date: now)
    self.evidence = evidence
    self.storage = storage
    self.breakers = breakers
    if let health = settings.health { controller.follow(health) }
  }

  /// How things stand, with the level, why it is not more, and the features.
  struct View: Sendable {
    let connectivity: ConnectivityEvidence.Reading
    let circuits: [StatusDocument.Circuit]
    let level: FeatureLevel
    let reasons: [String]
    let features: [StatusDocument.Feature]
  }

  /// Looks at everything.
  func look() -> View {
    let (reading, circuits) = (evidence.reading, breakers.map(StatusDocument.Circuit.init))
    let failure = storage.reason
    controller.report(Self.facts(reading.state, circuits, failure))
    let status = controller.status
    return View(
      connectivity: reading, circuits: circuits, level: status.level,
      reasons: status.reasons.map { Self.reason($0, failure) },
      features: status.features.map { Self.feature($0, failure) })
  }

  /// Whether the app has to do with little memory, so that nothing is done that nobody asked for.
  nonisolated var isShortOfMemory: Bool {
    controller.status.reasons.contains { $0.id == .memory }
  }

  private static func facts(
    _ connection: ConnectivityEvidence.Reading.State, _ circuits: [StatusDocument.Circuit],
    _ failure: AppError?
  ) -> [DegradationPlan.NeedID: Bool] {
    // Without a connection nobody asks whether the service is well.
    let isConnected = connection == .online || connection == .unknown
    let resting = isConnected ? circuits.filter { $0.state == .open || $0.state == .isolated } : []
    let isAlone = resting.count < circuits.count
    let names = isAlone ? resting.map(\.name) : []
    return [
      .storage: failure == nil, .network: connection != .offline, .signIn: connection != .portal,
      .service: isAlone, .catalog: !names.contains("catalog"),
      .sending: !names.contains { $0 != "catalog" },
    ]
  }

  private static func reason(_ need: DegradationPlan.Need, _ failure: AppError?) -> String {
    guard need.id == .storage, let failure else { return need.reason.description }
    return "\(failure.message.description) What is saved can be read, and nothing can be changed."
  }

  private static func feature(
    _ status: DegradationPlan.FeatureStatus, _ failure: AppError?
  ) -> StatusDocument.Feature {
    let feature = status.feature
    return StatusDocument.Feature(
      name: feature.name, available: status.isAvailable,
      needs: feature.needs.contains(.network) ? ["network"] : [],
      reason: status.isAvailable ? nil : reason(status.missing, failure))
  }

  /// Why a feature is not there: what stands in the way first.
  private static func reason(
    _ missing: Set<DegradationPlan.NeedID>, _ failure: AppError?
  ) -> String {
    if missing.contains(.storage), let failure { return failure.message.description }
    if missing.contains(.network) {
      return "It needs the network, and the service can’t be reached."
    }
    if missing.contains(.signIn) {
      return "It needs the network, and the network asks to sign in first."
    }
    if missing.contains(.memory) { return "The device is short of memory." }
    return "The service takes a break after problems."
  }
}

extension DegradationPlan.NeedID {
  fileprivate static let signIn: Self = "sign-in"
  fileprivate static let service: Self = "service"
  fileprivate static let catalog: Self = "catalog"
  fileprivate static let sending: Self = "sending"
}

extension DegradationPlan {
  /// What the app needs, and what each feature does.
  ///
  /// The processor is not among it: the app hardly computes, so that others keep it busy is no
  /// reason to do less.
  fileprivate static let inventory = DegradationPlan(
    needs: [
      .init(.storage, orElse: .minimal, because: "Nothing can be saved."), .memory,
      .init(
        .network, orElse: .offline,
        because: "The service can’t be reached. Changes are kept and sent later."),
      .init(
        .signIn, orElse: .offline,
        because: "The network asks to sign in. Changes are kept and sent later."),
      .init(
        .service, orElse: .basic,
        because: "The service had problems, so sending and looking up take a break."),
      .init(
        .catalog, orElse: .limited,
        because: "The service had problems, so looking things up takes a break."),
      .init(
        .sending, orElse: .limited,
        because: "The service had problems, so sending changes takes a break."),
    ],
    features: [
      local("scan"), local("add"), local("edit"),
      .init("photo", needs: [.storage, .memory]),
      .init("search"), local("delete"),
      .init("enrichment", needs: asking.union([.storage])),
      .init("sync", needs: [.network, .signIn, .storage]),
      .init("recall-check", needs: asking), .init("resale-value", needs: asking),
      .init("recipe-ideas", needs: asking),
    ])

  private static func local(_ name: String) -> Feature { Feature(name, needs: [.storage]) }

  /// What a question to the service needs.
  private static let asking: Set<NeedID> = [.network, .signIn, .catalog, .service]
}
