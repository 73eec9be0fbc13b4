// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Logging

extension DegradationController {
  /// Writes each change of level to swift-log from now on, once.
  ///
  /// A fall is a warning and a rise an information. The message is `level.fell` or `level.rose`;
  /// what differs stands in the metadata: `from`, `to`, and the names of the `reasons`.
  ///
  /// - Parameter logger: Where to write; the default has the label `mainstay.levels`.
  public func log(to logger: Logger = Logger(label: "mainstay.levels")) {
    follow(changes) { _, change, _ in
      logger.log(
        level: change.isFall ? .warning : .info, change.isFall ? "level.fell" : "level.rose",
        metadata: [
          "from": "\(change.from.rawValue)", "to": "\(change.to.rawValue)",
          "reasons": "\(change.reasons.map(\.id.rawValue).joined(separator: " "))",
        ])
    }
  }
}

extension Diagnostics.Section {
  /// How much of an app works, why not more, what cannot be used, and the last changes.
  ///
  /// - Parameter controller: Who knows.
  /// - Returns: The section `levels`.
  public static func levels(_ controller: DegradationController) -> Self {
    Self("levels") { [weak controller] in controller.map(Levels.init) }
  }

  private struct Levels: Encodable {
    struct Change: Encodable {
      let from: FeatureLevel
      let to: FeatureLevel
      let reasons: [String]
      let time: Date
    }

    let level: FeatureLevel
    let reasons: [String]
    let unavailable: [String]
    let changes: [Change]

    init(_ controller: DegradationController) {
      let status = controller.status
      level = status.level
      reasons = status.reasons.map(\.id.rawValue)
      unavailable = status.features.filter { !$0.isAvailable }.map(\.feature.name)
      changes = controller.history.map {
        Change(from: $0.from, to: $0.to, reasons: $0.reasons.map(\.id.rawValue), time: $0.time)
      }
    }
  }
}
