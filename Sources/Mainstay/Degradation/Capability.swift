// SPDX-License-Identifier: Apache-2.0

/// Something that a device or an app can do, such as taking a picture: how one finds out whether it
/// works, how it is done, and what stands in for it.
///
/// ```swift
/// let scanner = Capability<Image, ISBN>(.camera, requires: [.storage]) {
///   try await camera.check()
/// } execute: { image in
///   try await camera.scan(image)
/// } fallback: { image in
///   try await service.scan(image)
/// }
/// ```
///
/// A ``CapabilityRegistry`` keeps whether it works.
public struct Capability<Request: Sendable, Response: Sendable>: Sendable {
  /// Its name, which is also that of the need that it meets.
  public let id: DegradationPlan.NeedID
  /// What has to work first.
  public let requirements: Set<DegradationPlan.NeedID>
  /// How long finding out may take.
  public let validationLimit: Duration
  let validate: @Sendable () async throws -> Void
  let execute: @Sendable (Request) async throws -> Response
  let fallback: (@Sendable (Request) async throws -> Response)?

  /// Makes a capability.
  ///
  /// - Parameters:
  ///   - id: Its name, which is also that of the need that it meets.
  ///   - requirements: What has to work first; nothing by default.
  ///   - validationLimit: How long finding out may take; more than zero, the default is five
  ///     seconds.
  ///   - validate: Finds out whether it works; what it throws says why not.
  ///   - execute: Does it.
  ///   - fallback: Stands in for it where it does not work, or fails; nil, the default, is nothing.
  ///     It is never asked where nobody knows whether the capability had its effect.
  public init(
    _ id: DegradationPlan.NeedID, requires requirements: Set<DegradationPlan.NeedID> = [],
    validateWithin validationLimit: Duration = .seconds(5),
    validate: @escaping @Sendable () async throws -> Void,
    execute: @escaping @Sendable (Request) async throws -> Response,
    fallback: (@Sendable (Request) async throws -> Response)? = nil
  ) {
    precondition(
      validationLimit > .zero,
      "Capability(validateWithin: \(validationLimit)) is not legal: more than zero")
    self.id = id
    self.requirements = requirements
    self.validationLimit = validationLimit
    self.validate = validate
    self.execute = execute
    self.fallback = fallback
  }
}

extension Capability where Request == Void, Response == Void {
  /// Makes a capability that is only there or not.
  ///
  /// - Parameters:
  ///   - id: Its name, which is also that of the need that it meets.
  ///   - requirements: What has to work first; nothing by default.
  ///   - validationLimit: How long finding out may take; more than zero, the default is five
  ///     seconds.
  ///   - validate: Finds out whether it is there; what it throws says why not.
  public init(
    _ id: DegradationPlan.NeedID, requires requirements: Set<DegradationPlan.NeedID> = [],
    validateWithin validationLimit: Duration = .seconds(5),
    validate: @escaping @Sendable () async throws -> Void
  ) {
    self.init(
      id, requires: requirements, validateWithin: validationLimit, validate: validate,
      execute: { _ in })
  }
}
