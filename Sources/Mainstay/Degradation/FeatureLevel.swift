// SPDX-License-Identifier: Apache-2.0

/// How much of an app works; more is greater.
public enum FeatureLevel: String, Sendable, Hashable, Codable, CaseIterable {
  /// What cannot be done without: reading what is here, with as little as possible.
  case minimal
  /// What works without a network.
  case offline
  /// The core, without what rests on missing services.
  case basic
  /// Nearly everything: something of the device is missing.
  case limited
  /// Everything.
  case full
}

extension FeatureLevel: Comparable {
  private var rank: Int {
    switch self {
    case .minimal: 0
    case .offline: 1
    case .basic: 2
    case .limited: 3
    case .full: 4
    }
  }

  /// Whether less works at the left one.
  public static func < (left: FeatureLevel, right: FeatureLevel) -> Bool { left.rank < right.rank }
}
