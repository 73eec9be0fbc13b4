// SPDX-License-Identifier: Apache-2.0

extension DegradationPlan {
  /// The needs of an ordinary app.
  ///
  /// Too little memory or processor, or heat, leaves the minimum, and no network what works
  /// offline. Missing storage or analytics leave the basics, and a missing camera, location or
  /// notices nearly everything.
  public static let standard = DegradationPlan(needs: [
    .memory, .processor, .heat, .network, .storage, .analytics, .camera, .location, .notifications,
  ])

  /// This plan with features.
  ///
  /// - Parameter features: What a person can do with the app.
  /// - Returns: A plan with the same needs.
  public func with(features: [Feature]) -> DegradationPlan {
    DegradationPlan(needs: needs, features: features)
  }
}

extension DegradationPlan.Need {
  /// Enough memory; without it the minimum is left.
  public static let memory = Self(
    .memory, orElse: .minimal,
    because: text("memory", "The device is short of memory, so only the most important works."))
  /// Enough time of the processor; without it the minimum is left.
  public static let processor = Self(
    .processor, orElse: .minimal,
    because: text("processor", "The device is very busy, so only the most important works."))
  /// A device that is not too hot; without it the minimum is left.
  public static let heat = Self(
    .heat, orElse: .minimal,
    because: text(
      "heat", "The device is too hot, so only the most important works. Let it cool down."))
  /// A network; without it what works offline is left.
  public static let network = Self(
    .network, orElse: .offline,
    because: text("network", "There is no connection. What works without one can be used."))
  /// A place to write; without it the basics are left.
  public static let storage = Self(
    .storage, orElse: .basic,
    because: text("storage", "Nothing can be saved at the moment."))
  /// Counting what is used; without it the basics are left.
  public static let analytics = Self(
    .analytics, orElse: .basic,
    because: text("analytics", "A service that the app relies on is not there."))
  /// A camera; without it nearly everything is left.
  public static let camera = Self(
    .camera, orElse: .limited,
    because: text("camera", "The camera can’t be used."))
  /// Where the device is; without it nearly everything is left.
  public static let location = Self(
    .location, orElse: .limited,
    because: text("location", "The app doesn’t know where the device is."))
  /// Notices; without them nearly everything is left.
  public static let notifications = Self(
    .notifications, orElse: .limited,
    because: text("notifications", "The app can’t show notifications."))

  static func text(_ name: String, _ english: LocalizableText) -> LocalizableText {
    LocalizableText(key: "error.need.\(name).message", english: english)
  }
}

extension DegradationController.Change {
  /// What a person is told: on the way down why, on the way up that it is better.
  public var notice: LocalizableText {
    if to == .full { return Self.allIsWell }
    guard isFall, let worst = reasons.first else { return Self.moreWorks }
    return worst.reason
  }

  static let allIsWell = DegradationPlan.Need.text("none", "Everything works again.")
  static let moreWorks = DegradationPlan.Need.text("fewer", "More works again, but not everything.")
}
