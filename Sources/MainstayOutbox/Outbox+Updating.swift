// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension Outbox: LiveConfigurable {
  /// The settings in force.
  public var configuration: Configuration {
    var configuration = opened
    configuration.live = live.now
    return configuration
  }

  /// Goes on with other settings, and begins at once what they let begin.
  ///
  /// What runs goes on, and what waits keeps its place: bounds that are lower than what is there
  /// drop nothing, and take nothing more until there is room. <doc:ChangingSettings> says from when
  /// on each setting holds.
  ///
  /// Three things cannot change, and are refused where they differ. One is `startsPaused`. One is
  /// what is not a part of the encoded settings, where nil, nothing or the default stands for what
  /// is in force.
  /// One is the limits of a store of your own, which it was made with.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: `ConfigurationError` with everything that is not legal or cannot change; nothing is
  ///   changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    var found = Violations()
    configuration.check(&found)
    configuration.checkWhatStays(&found, as: opened, limitsStay: !isStoreOwn)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "Outbox", violations: found.all)
    }
    live.set(configuration.live)
    drainer.wake()
    opened.observer?.observe(OutboxEvent(.settingsChanged))
  }
}

extension Outbox.Configuration {
  /// What can change while the outbox works.
  struct Live: Sendable, Equatable {
    var maximumConcurrency: Int
    var maximumConcurrencyOfKinds: [OperationKind: Int]
    var limits: StoreLimits
    var maximumPayloadBytes: Int
    var ageing: Duration
  }

  var live: Live {
    get {
      Live(
        maximumConcurrency: maximumConcurrency,
        maximumConcurrencyOfKinds: maximumConcurrencyOfKinds, limits: limits,
        maximumPayloadBytes: maximumPayloadBytes, ageing: ageing)
    }
    set {
      maximumConcurrency = newValue.maximumConcurrency
      maximumConcurrencyOfKinds = newValue.maximumConcurrencyOfKinds
      maximumPending = newValue.limits.maximumPending
      maximumBytes = newValue.limits.maximumBytes
      maximumOutcomes = newValue.limits.maximumOutcomes
      maximumPayloadBytes = newValue.maximumPayloadBytes
      ageing = newValue.ageing
    }
  }

  /// Notes what differs from what an outbox was opened with, and cannot change.
  fileprivate func checkWhatStays(
    _ found: inout Violations, as opened: Outbox.Configuration, limitsStay: Bool
  ) {
    found.check(
      startsPaused == opened.startsPaused, "startsPaused", startsPaused,
      "it counts only when an outbox is opened; call pause() or resume() instead")
    if limitsStay {
      let rule = "the store of this outbox was made with limits of its own, which stay"
      let (new, old) = (limits, opened.limits)
      found.check(
        new.maximumPending == old.maximumPending, "maximumPending",
        new.maximumPending.map(String.init) ?? "nil", rule)
      found.check(
        new.maximumBytes == old.maximumBytes, "maximumBytes",
        new.maximumBytes.map(String.init) ?? "nil", rule)
      found.check(
        new.maximumOutcomes == old.maximumOutcomes, "maximumOutcomes", new.maximumOutcomes, rule)
    }
    found.check(
      unmetConstraints.isEmpty || unmetConstraints == opened.unmetConstraints, "unmetConstraints",
      unmetConstraints.map(\.rawValue).sorted().joined(separator: ", "),
      "it counts only when an outbox is opened; call set(_:isMet:) instead")
    found.check(
      !allowsAppGroup || opened.allowsAppGroup, "allowsAppGroup", allowsAppGroup,
      "it counts only when an outbox is opened; leave it false")
    found.check(
      [opened.stallWarning, Self().stallWarning].contains(stallWarning), "stallWarning",
      stallWarning, "it stays what the outbox was opened with; leave it as it is at first")
    let rule = "it stays what the outbox was opened with; leave it nil"
    func same(_ name: String, _ new: Any?, _ old: Any?) {
      found.check(Self.isSame(new, old), name, "another one", rule)
    }
    same("connectivity", connectivity, opened.connectivity)
    same("signedIn", signedIn, opened.signedIn)
    same("mapping", mapping, opened.mapping)
    same("observer", observer, opened.observer)
    same("monitor", monitor, opened.monitor)
    same("budget", budget, opened.budget)
    same("logger", logger, opened.logger)
    same("codec", codec, opened.codec)
    same("circuitOfHost", circuitOfHost, opened.circuitOfHost)
  }

  /// Whether both are one object; values of one type cannot be told apart, and count as one.
  private static func isSame(_ new: Any?, _ old: Any?) -> Bool {
    guard let new else { return true }
    guard let old, type(of: new) == type(of: old) else { return false }
    return !(type(of: new) is AnyClass) || (new as AnyObject) === (old as AnyObject)
  }
}

extension Outbox.Configuration: Equatable {
  /// Whether both have the same settings; what is not a part of the encoded settings does not
  /// count.
  public static func == (left: Self, right: Self) -> Bool {
    left.live == right.live && left.startsPaused == right.startsPaused
  }
}

/// The settings that can change, as they are now: the outbox, its store and its drainer go by them.
final class SettingsInForce: Sendable {
  private let state: Locked<Outbox.Configuration.Live>

  init(_ configuration: Outbox.Configuration) { state = Locked(configuration.live) }

  var now: Outbox.Configuration.Live { state.withLock { $0 } }

  func set(_ live: Outbox.Configuration.Live) { state.withLock { $0 = live } }
}
