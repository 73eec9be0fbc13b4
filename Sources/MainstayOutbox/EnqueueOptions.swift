// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Wishes about one operation.
public struct EnqueueOptions: Sendable, Hashable {
  /// What it changes; operations with equal keys run in the order in which they were enqueued.
  ///
  /// Keys are equal where their bytes in UTF-8 are, whatever `==` of two texts says. The default is
  /// nil: order does not matter.
  public var orderingKey: String?
  /// The key by which the other side knows a repetition; the default is a new one.
  ///
  /// Give the key of the tap or the request that asked for the operation, where there is one.
  public var idempotencyKey: IdempotencyKey?
  /// How long it is wanted; nil, the default, for ever.
  ///
  /// What may have been sent does not expire.
  public var timeToLive: Duration?
  /// The lane; nil, the default, for that of the operation's type.
  public var lane: Lane?
  /// Whether it may have been sent already, such as by an outbox whose file is gone: then it is
  /// reconciled before it is run; the default is false.
  public var mayHaveBeenSent: Bool
  /// How soon it runs among others; nil, the default, for the priority of the operation's type.
  public var priority: OperationPriority?
  /// How long it is kept before it may run; nil, the default, for at once.
  ///
  /// More than a year is a year.
  public var delay: Duration?
  /// What it stands for, so that it is not enqueued twice; nil, the default, for nothing.
  public var uniqueKey: UniqueKey?
  /// What has to be done before it; nil, the default, for nothing.
  public var dependencies: Dependencies?
  /// What must hold while it is started; the default is nothing.
  ///
  /// <doc:NamingConstraints> says who says so.
  public var constraints: Set<OperationConstraint>
  /// Whether it may be dropped to make room for others where the outbox is full; nil, the default,
  /// for what the operation's type says.
  ///
  /// A receipt counts it (``OutboxReceipt/Reason/evicted``). What runs, what may have been sent and
  /// what others need is never dropped.
  public var isExpendable: Bool?
  /// How long one attempt of it may take; more than zero, cut to a year, or nil, the default, for
  /// no limit of its own.
  ///
  /// To ask what became of an earlier attempt there is as long once more. It is kept with the
  /// operation. Where its worker has a limit too (``Worker/limited(to:)``), the shorter one holds.
  /// A run beyond it is cancelled, and its outcome is unknown. A value that comes from outside goes
  /// through ``setTimeout(validating:)``.
  public var timeout: Duration? {
    didSet { Self.check(timeout) }
  }

  /// Makes wishes; those that are left out are the defaults.
  public init(
    orderedBy orderingKey: String? = nil, idempotencyKey: IdempotencyKey? = nil,
    timeToLive: Duration? = nil, lane: Lane? = nil, mayHaveBeenSent: Bool = false,
    priority: OperationPriority? = nil, delay: Duration? = nil, uniqueKey: UniqueKey? = nil,
    dependencies: Dependencies? = nil, constraints: Set<OperationConstraint> = [],
    isExpendable: Bool? = nil, timeout: Duration? = nil
  ) {
    Self.check(timeout)
    self.orderingKey = orderingKey
    self.idempotencyKey = idempotencyKey
    self.timeToLive = timeToLive
    self.lane = lane
    self.mayHaveBeenSent = mayHaveBeenSent
    self.priority = priority
    self.delay = delay
    self.uniqueKey = uniqueKey
    self.dependencies = dependencies
    self.constraints = constraints
    self.isExpendable = isExpendable
    self.timeout = timeout
  }
}

extension EnqueueOptions {
  /// Sets ``timeout`` to a value that comes from outside, such as a file.
  ///
  /// - Parameter timeout: The limit; more than zero, cut to a year, or nil for none.
  /// - Throws: `ConfigurationError` where it is not legal; nothing is changed then.
  public mutating func setTimeout(validating timeout: Duration?) throws(ConfigurationError) {
    if let violation = Self.violation(of: timeout) {
      throw ConfigurationError(subject: "EnqueueOptions", violations: [violation])
    }
    self.timeout = timeout
  }

  private static func violation(of timeout: Duration?) -> ConfigurationError.Violation? {
    guard let timeout, timeout <= .zero else { return nil }
    var found = Violations()
    found.check(false, "timeout", timeout, "it must be more than zero, or nil for no limit")
    return found.all.first
  }

  private static func check(_ timeout: Duration?) {
    precondition(
      timeout.map { $0 > .zero } ?? true,
      "EnqueueOptions(timeout: \(timeout ?? .zero)) is not legal: more than zero, or nil")
  }

  /// Whether an operation with these wishes may be put together with the one before it: it has none
  /// of its own that would be lost, and nobody asks for it by its key.
  var allowsCoalescing: Bool {
    idempotencyKey == nil && timeToLive == nil && !mayHaveBeenSent && priority == nil
      && delay == nil && uniqueKey == nil && dependencies == nil && constraints.isEmpty
      && isExpendable == nil && timeout == nil
  }
}

extension EnqueueOptions {
  /// What an operation stands for, such as `refresh`: at most one of a kind waits under a key.
  ///
  /// The key is free again as soon as the operation is done, given up or gone.
  public struct UniqueKey: Sendable, Hashable {
    /// What becomes of a newcomer whose key is taken.
    public enum IfTaken: String, Sendable, Hashable, Codable, CaseIterable {
      /// The one that is there stays, and the newcomer is dropped; the default.
      case keep
      /// The one that is there gets the newcomer's payload, and its place in the order stays. One
      /// that may have been sent is not touched: the newcomer runs after it, and so does one that
      /// needs others or may have been sent itself.
      case replace
      /// The newcomer runs after the one that is there, whatever becomes of that, and has the key
      /// from then on.
      case append
      /// The newcomer is refused with ``OutboxError/Code/duplicate``.
      case reject
    }

    /// The key; any text is legal, and kinds have their own keys.
    ///
    /// On PostgreSQL it has at most 2,500 bytes, with the kind.
    ///
    /// Keys are equal where their bytes in UTF-8 are.
    public let value: String
    /// What becomes of a newcomer whose key is taken.
    public let ifTaken: IfTaken

    /// Makes a key.
    public init(_ value: String, ifTaken: IfTaken = .keep) {
      self.value = value
      self.ifTaken = ifTaken
    }
  }

  /// What has to be done before an operation.
  ///
  /// An operation that is neither waiting nor a dead letter any more counts as done.
  public struct Dependencies: Sendable, Hashable {
    /// What becomes of an operation when one that it needs is given up.
    public enum IfGivenUp: String, Sendable, Hashable, Codable, CaseIterable {
      /// It waits until somebody redrives that one; when it is discarded, this one is given up; the
      /// default.
      case waitForRedrive
      /// It is given up too, with ``DeadLetter/Reason/dependencyFailed``.
      case giveUp
      /// It runs all the same.
      case runAnyway
    }

    /// The operations that have to end first.
    public let ids: Set<OperationID>
    /// What becomes of this one when one of them is given up.
    public let ifGivenUp: IfGivenUp

    /// Names what has to be done first.
    public init(_ ids: Set<OperationID>, ifGivenUp: IfGivenUp = .waitForRedrive) {
      self.ids = ids
      self.ifGivenUp = ifGivenUp
    }
  }
}

/// The name of something that must hold while an operation is started, such as `unmetered`.
///
/// The monitor of ``Outbox/Configuration/connectivity`` says whether ``network`` and ``unmetered``
/// hold; of others, and without a monitor, the app says it with ``Outbox/set(_:isMet:)``. One that
/// nobody has spoken of holds nobody back, unless ``Outbox/Configuration/unmetConstraints`` names
/// it. <doc:NamingConstraints> has all of it.
public struct OperationConstraint: RawRepresentable, Sendable, Hashable, Codable {
  /// The name as text.
  public let rawValue: String

  /// Makes a constraint from its name; any text is legal, and its zero characters are replaced.
  public init(rawValue: String) { self.rawValue = rawValue.withoutZeros }

  /// Some network is there, or it is not known whether there is one.
  public static let network: OperationConstraint = "network"
  /// A network is there that costs nothing by the byte.
  public static let unmetered: OperationConstraint = "unmetered"
  /// The device is being charged.
  public static let power: OperationConstraint = "power"

  /// An account is signed in.
  ///
  /// As any other one it is forgotten with the process, and holds nobody back until the app has
  /// said that it does not hold. What an account that has signed out left behind is kept back by a
  /// lane that is paused: see <doc:SchedulingOperations>.
  ///
  /// - Parameter account: What the app calls it.
  /// - Returns: The constraint.
  public static func signedIn(_ account: String) -> OperationConstraint {
    OperationConstraint(rawValue: "signed-in:\(account)")
  }
}

extension OperationConstraint: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Makes a constraint from a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The name as text.
  public var description: String { rawValue }
}
