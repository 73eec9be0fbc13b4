// SPDX-License-Identifier: Apache-2.0

/// How long a kept answer may be given, and when: while it is fresh, while a newer one is loaded,
/// and after loading failed.
///
/// ```swift
/// let policy = CachePolicy(freshFor: .seconds(60), staleIfError: .within(.seconds(86_400)))
/// ```
///
/// ``offlineFirst`` is for an app that shows what is on the device whatever happens to the network.
/// The words are those of RFC 5861; <doc:CachingAnswers> has the states. An answer whose age nobody
/// knows is never fresh, and is given only where a policy says ``Allowance/always``.
public struct CachePolicy: Sendable {
  /// How long beyond its freshness an answer may be given.
  public enum Allowance: Sendable, Hashable {
    /// Not at all.
    case never
    /// For this long after it ceased to be fresh; more than zero, cut to a year.
    case within(Duration)
    /// However old it is.
    case always
  }

  /// After which failures a kept answer is given instead.
  public struct Condition: Sendable {
    let allows: @Sendable (any Error, Disposition) -> Bool

    /// Goes by the error's disposition, the default: after what may pass (`transient`, `throttled`,
    /// `rejected`, `unknownOutcome`), and neither after an answer such as "not found" or "sign in"
    /// nor after what nobody has classified.
    public static let disposition = Condition { _, disposition in
      switch disposition {
      case .transient, .throttled, .rejected, .unknownOutcome: true
      case .permanent, .needsUser, .unclassified, .cancelled: false
      }
    }

    /// After every failure, also where the other side answered that it has no such thing.
    public static let anythingButCancellation = Condition { _, _ in true }

    /// Asks a function of yours.
    ///
    /// - Parameter allows: Gets the error and its disposition; never asked about a cancellation.
    public init(_ allows: @escaping @Sendable (any Error, Disposition) -> Bool) {
      self.allows = allows
    }
  }

  /// The settings; spans of time are cut to a year.
  public let configuration: Configuration
  /// After which failures a kept answer is given instead.
  public let condition: Condition

  /// Makes a policy from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - freshFor: How long an answer is given without asking again; zero or more, cut to a year,
  ///     the default is 1 minute.
  ///   - staleWhileRevalidate: How long after that it is given at once while a newer one is loaded
  ///     behind it; the default is never.
  ///   - staleIfError: How long after it ceased to be fresh it is given where loading failed; the
  ///     default is a day.
  ///   - condition: After which failures; by default after those that may pass.
  public init(
    freshFor: Duration = .seconds(60), staleWhileRevalidate: Allowance = .never,
    staleIfError: Allowance = .within(.seconds(86_400)), onlyFor condition: Condition = .disposition
  ) {
    let configuration = Configuration(
      freshFor: freshFor, staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, onlyFor: condition)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// For what a person owns or has read, in an app that works without a network.
  ///
  /// It is given at once however old it is, with its age, and after 1 minute a newer one is loaded
  /// behind it. Both allowances are ``Allowance/always``; the service's word on its own answer goes
  /// before. It is not for what somebody acts on, such as a price or a balance.
  public static let offlineFirst = CachePolicy(
    staleWhileRevalidate: .always, staleIfError: .always)

  /// Makes a policy from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - condition: After which failures a kept answer is given; by default after those that may
  ///     pass.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, onlyFor condition: Condition = .disposition
  ) throws(ConfigurationError) {
    self.configuration = try configuration.checked()
    self.condition = condition
  }
}
