// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// How much of an app works, as a screen shows it: words, picture, colour, and what to do instead.
public struct LevelPresentation: Sendable, Hashable {
  /// A feature that cannot be used now.
  public struct Gap: Sendable, Hashable, Identifiable {
    /// The name of the feature in the plan.
    public let id: String
    /// What a person can do instead; nil for nothing.
    public let alternative: String?
  }

  /// The level.
  public let level: FeatureLevel
  /// Why not everything works, in sentences, the worst first.
  public let reasons: [String]
  /// What cannot be used now.
  public let gaps: [Gap]
  /// The name of an SF Symbol.
  public let icon: String
  /// The colour; never the only difference.
  public let tint: ErrorPresentation.Tint

  /// Puts a level into words; nil where everything works, since then there is nothing to say.
  ///
  /// - Parameters:
  ///   - status: How the app stands.
  ///   - locale: The language of the reader.
  public init?(_ status: DegradationController.Status, locale: Locale = .current) {
    gaps = status.features.filter { !$0.isAvailable }.map {
      Gap(id: $0.feature.name, alternative: $0.feature.alternative?.string(in: locale))
    }
    guard status.level < .full || !gaps.isEmpty else { return nil }
    level = status.level
    reasons = status.reasons.map { $0.reason.string(in: locale) }
    (icon, tint) =
      switch status.level {
      case .full, .limited, .basic: ("exclamationmark.triangle", .yellow)
      case .offline: ("wifi.slash", .orange)
      case .minimal: ("exclamationmark.circle", .red)
      }
  }
}

/// Shows how much of an app works, and says so when that changes, on the way down and on the way
/// up.
///
/// ```swift
/// let levels = LevelPresenter(following: controller, toasts: toasts)
/// if let level = levels.presentation { Text(level.reasons.first ?? "") }
/// ```
@MainActor @Observable
public final class LevelPresenter {
  /// How the app stands.
  public private(set) var status: DegradationController.Status
  /// What is said of it; nil where everything works.
  public private(set) var presentation: LevelPresentation?

  @ObservationIgnored private let locale: Locale
  @ObservationIgnored private var following: [Task<Void, Never>] = []

  /// Makes a presenter, and begins to follow a controller.
  ///
  /// - Parameters:
  ///   - controller: Who knows how much works.
  ///   - toasts: Where each change is told, once; nil, the default, is nowhere.
  ///   - locale: The language of the reader.
  public init(
    following controller: DegradationController, toasts: Toasts? = nil, locale: Locale = .current
  ) {
    self.locale = locale
    status = controller.status
    presentation = LevelPresentation(controller.status, locale: locale)
    let (updates, changes) = (controller.updates, controller.changes)
    following = [
      Task { [weak self] in
        for await status in updates { self?.take(status) }
      },
      Task { [weak toasts] in
        for await change in changes {
          let text = change.notice.string(in: locale)
          toasts?.show(Toast(change.isFall ? .warning : .success, text))
        }
      },
    ]
  }

  isolated deinit { for task in following { task.cancel() } }

  /// Whether a feature of the plan can be used; one that the plan does not know can.
  public func isAvailable(_ feature: String) -> Bool {
    status.features.first { $0.feature.name == feature }?.isAvailable ?? true
  }

  private func take(_ status: DegradationController.Status) {
    guard status != self.status else { return }
    self.status = status
    presentation = LevelPresentation(status, locale: locale)
  }
}
