// SPDX-License-Identifier: Apache-2.0

/// One durable unit of work: what is to be done, as plain data.
///
/// Store what a person wants, not the request: the request is built when it is sent, with the
/// credentials of that moment.
///
/// ```swift
/// struct SyncTwin: QueuedOperation {
///   static let kind: OperationKind = "sync-twin"
///   var id: UUID
/// }
/// ```
public protocol QueuedOperation: Codable, Sendable {
  /// What its worker returns, for whoever holds an ``OperationHandle``; the default is nothing.
  associatedtype Output: Codable & Sendable = NoOutput

  /// The written name under which operations are kept; never derived from the type's name, and
  /// never used for something else.
  static var kind: OperationKind { get }

  /// The version of the payload's form, 1 or more; the default is 1.
  ///
  /// Raise it when an older build could not read the payload any more, and keep a type for each
  /// version that may still be waiting on a disk: see ``Worker/upcasting(from:_:)``.
  static var version: Int { get }

  /// The lane that operations of this kind run in; the default is ``Lane/main``.
  static var lane: Lane { get }

  /// How soon operations of this kind run among others; the default is
  /// ``OperationPriority/normal``.
  static var priority: OperationPriority { get }

  /// Whether operations of this kind may be dropped to make room for others where the outbox is
  /// full; the default is false.
  static var isExpendable: Bool { get }
}

/// What the worker of an operation without output returns.
public struct NoOutput: Codable, Sendable, Hashable {
  /// Makes it.
  public init() {}
}

extension QueuedOperation {
  /// 1.
  public static var version: Int { 1 }

  /// ``Lane/main``.
  public static var lane: Lane { .main }

  /// ``OperationPriority/normal``.
  public static var priority: OperationPriority { .normal }

  /// False.
  public static var isExpendable: Bool { false }
}

/// The written name of a kind of operation, such as `sync-twin`.
public struct OperationKind: RawRepresentable, Sendable, Hashable, Codable {
  /// The name as text.
  public let rawValue: String

  /// Makes a kind from a name that was read from somewhere; any text is legal, and its zero
  /// characters are replaced.
  public init(rawValue: String) { self.rawValue = rawValue.withoutZeros }
}

extension OperationKind: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Makes a kind from a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The name as text.
  public var description: String { rawValue }
}

extension String {
  /// The text as a database can give it back: one that it reads ends at the first zero character.
  package var withoutZeros: String {
    utf8.contains(0) ? String(map { $0 == "\0" ? "\u{FFFD}" : $0 }) : self
  }
}

/// A named part of an outbox that is paused and throttled as a whole, such as one account or host.
public struct Lane: RawRepresentable, Sendable, Hashable, Codable {
  /// The name as text.
  public let rawValue: String

  /// Makes a lane from a name; any text is legal, and its zero characters are replaced.
  public init(rawValue: String) { self.rawValue = rawValue.withoutZeros }

  /// The lane of operations that name none.
  public static let main: Lane = "main"
}

extension Lane: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Makes a lane from a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The name as text.
  public var description: String { rawValue }
}
