// SPDX-License-Identifier: Apache-2.0

/// What each feature of an app needs, and how much of the app is left when something is missing.
///
/// It decides by itself, and always the same for the same facts; ``DegradationController`` keeps
/// the facts and the time. See <doc:DegradingGracefully>.
///
/// ```swift
/// let plan = DegradationPlan(
///   needs: [
///     .network, .storage, .init("scanner", orElse: .limited, because: "The scanner is off."),
///   ],
///   features: [
///     .init("scan", needs: ["scanner"], alternative: "Type in the number below the bars."),
///     .init("sync", needs: [.network], fromLevel: .basic),
///   ])
/// ```
public struct DegradationPlan: Sendable {
  /// The name of something that an app needs, such as "network" or "camera".
  public struct NeedID: Sendable, Hashable, Codable, RawRepresentable,
    ExpressibleByStringLiteral
  {
    /// The name.
    public let rawValue: String

    /// Makes an id from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an id from its name.
    public init(stringLiteral name: String) { rawValue = name }

    /// A way to other machines.
    public static let network = NeedID(rawValue: "network")
    /// A place where the app can write.
    public static let storage = NeedID(rawValue: "storage")
    /// Enough memory.
    public static let memory = NeedID(rawValue: "memory")
    /// Enough time of the processor.
    public static let processor = NeedID(rawValue: "processor")
    /// A device that is not too hot.
    public static let heat = NeedID(rawValue: "heat")
    /// Counting what people use.
    public static let analytics = NeedID(rawValue: "analytics")
    /// A camera that the app may use.
    public static let camera = NeedID(rawValue: "camera")
    /// A place in the world that the app may know.
    public static let location = NeedID(rawValue: "location")
    /// A clock that is not obviously wrong.
    public static let clock = NeedID(rawValue: "clock")
    /// Notices that the app may show.
    public static let notifications = NeedID(rawValue: "notifications")
  }

  /// Something that an app needs, and what is left without it.
  public struct Need: Sendable, Hashable {
    /// Its name.
    public let id: NeedID
    /// How much of the app works at most while it is missing.
    public let level: FeatureLevel
    /// What a person is told while it is missing.
    public let reason: LocalizableText

    /// Makes a need.
    ///
    /// - Parameters:
    ///   - id: Its name.
    ///   - level: How much of the app works at most while it is missing.
    ///   - reason: What a person is told while it is missing, in a sentence.
    public init(_ id: NeedID, orElse level: FeatureLevel, because reason: LocalizableText) {
      self.id = id
      self.level = level
      self.reason = reason
    }
  }

  /// Something that a person can do with an app.
  public struct Feature: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// What it cannot do without.
    public let needs: Set<NeedID>
    /// The least level at which it is offered.
    public let minimumLevel: FeatureLevel
    /// What a person can do instead; nil for nothing.
    public let alternative: LocalizableText?

    /// Makes a feature.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - needs: What it cannot do without; nothing by default.
    ///   - minimumLevel: The least level at which it is offered; the default is any.
    ///   - alternative: What a person can do instead, in a sentence; nil, the default, is nothing.
    public init(
      _ name: String, needs: Set<NeedID> = [], fromLevel minimumLevel: FeatureLevel = .minimal,
      alternative: LocalizableText? = nil
    ) {
      self.name = name
      self.needs = needs
      self.minimumLevel = minimumLevel
      self.alternative = alternative
    }
  }

  /// Whether a feature is there now, and what is there instead.
  public struct FeatureStatus: Sendable, Hashable {
    /// The feature.
    public let feature: Feature
    /// What it needs and is missing.
    public let missing: Set<NeedID>
    /// Whether it can be used.
    public let isAvailable: Bool
  }

  /// What the app needs, each name once.
  public let needs: [Need]
  /// What a person can do with it, each name once.
  public let features: [Feature]

  /// Makes a plan.
  ///
  /// A feature may also need what stands in no need: that takes away the feature, and leaves the
  /// level as it is. Of needs, and of features, with one name, the first one counts.
  ///
  /// - Parameters:
  ///   - needs: What the app needs.
  ///   - features: What a person can do with it.
  public init(needs: [Need], features: [Feature] = []) {
    var (seenNeeds, seenFeatures) = (Set<NeedID>(), Set<String>())
    self.needs = needs.filter { seenNeeds.insert($0.id).inserted }
    self.features = features.filter { seenFeatures.insert($0.name).inserted }
  }

  /// How much works while something is missing: what the worst of what is missing leaves.
  ///
  /// - Parameter missing: What is missing.
  /// - Returns: The level; ``FeatureLevel/full`` where nothing is missing that the plan knows.
  public func level(missing: Set<NeedID>) -> FeatureLevel {
    needs.filter { missing.contains($0.id) }.map(\.level).min() ?? .full
  }

  /// Why not everything works: the needs that are missing, the worst first.
  public func reasons(missing: Set<NeedID>) -> [Need] {
    needs.filter { missing.contains($0.id) && $0.level < .full }
      .sorted { $0.level < $1.level }
  }

  /// What a person can do while something is missing.
  ///
  /// - Parameters:
  ///   - missing: What is missing.
  ///   - level: How much of the app works; the default is what is left without what is missing.
  /// - Returns: Each feature of the plan, in its order.
  public func features(
    missing: Set<NeedID>, at level: FeatureLevel? = nil
  ) -> [FeatureStatus] {
    let level = level ?? self.level(missing: missing)
    return features.map { feature in
      let gone = feature.needs.intersection(missing)
      return FeatureStatus(
        feature: feature, missing: gone,
        isAvailable: gone.isEmpty && level >= feature.minimumLevel)
    }
  }
}
