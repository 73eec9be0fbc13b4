// SPDX-License-Identifier: Apache-2.0

/// A change as a function: what it does depends on what it is done to.
///
/// ```swift
/// struct AddItem: RebasingOperation {
///   var name: String
///   func apply(to list: inout ShoppingList) throws { list.add(name) }
/// }
/// ```
public protocol RebasingOperation: Sendable {
  /// What it changes.
  associatedtype Document: Sendable

  /// Changes a document; the same document always in the same way.
  ///
  /// - Throws: Where it cannot be done to this document any more; the document is then left alone.
  func apply(to document: inout Document) throws
}

/// Pending changes as functions, which are done again on whatever the other side has: the way of
/// Replicache and of turn-based games.
///
/// Each change has a number, greater than those before. The other side does them in this order,
/// remembers the last number of each device, and does none twice; whatever it sends carries that
/// number, which says what is still pending. It takes any number that is greater than the last: a
/// change that was discarded leaves a gap.
public struct RebaseQueue<Operation: RebasingOperation>: Sendable {
  /// A change that the other side has not confirmed yet.
  public struct Pending: Sendable {
    /// Its number, 1 or more.
    public let number: UInt64
    /// The change.
    public let operation: Operation
  }

  /// A change that cannot be done to what the other side has by now.
  public struct Rejected: Sendable {
    /// The change, which is still pending: somebody discards it, or the other side's answer does.
    public let pending: Pending
    /// Why.
    public let error: any Error
  }

  /// What the other side confirmed last.
  public private(set) var server: Operation.Document
  /// The number of the last change that it has done.
  public private(set) var acknowledged: UInt64
  /// What it has not confirmed yet, in order.
  public private(set) var pending: [Pending] = []
  /// What readers see: the other side's, with all pending changes that can be done to it.
  public private(set) var document: Operation.Document
  /// The pending changes that cannot be done to it at present.
  public private(set) var rejected: [Rejected] = []
  private var lastNumber: UInt64

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - server: What the other side has.
  ///   - acknowledged: The number of the last change of this device that it has done; 0 for none,
  ///     cut to less than half of `UInt64.max`.
  public init(server: Operation.Document, acknowledged: UInt64 = 0) {
    self.server = server
    // It comes from the other side: no number of it may stop the count.
    self.acknowledged = min(acknowledged, .max / 2 - 1)
    document = server
    lastNumber = self.acknowledged
  }

  /// Adds a change, if it can be done to what readers see.
  ///
  /// - Parameter operation: The change.
  /// - Returns: Its number.
  /// - Throws: What the change throws; it is then not added.
  public mutating func append(_ operation: Operation) throws -> UInt64 {
    var changed = document
    try operation.apply(to: &changed)
    document = changed
    lastNumber += 1
    pending.append(Pending(number: lastNumber, operation: operation))
    return lastNumber
  }

  /// Takes a later version of the other side, drops what it has done, and does the rest again.
  ///
  /// - Parameters:
  ///   - server: What it has.
  ///   - acknowledged: The number of the last change of this device in it.
  /// - Returns: False for a version with fewer changes of this device than it confirmed before; it
  ///   is ignored. Of two with as many, nobody here knows the older: hand them over in order.
  public mutating func rebase(onto server: Operation.Document, acknowledged: UInt64) -> Bool {
    guard acknowledged >= self.acknowledged, acknowledged < .max / 2 else { return false }
    self.server = server
    self.acknowledged = acknowledged
    // A device that was restored from a backup hears of numbers that it has forgotten; it must not
    // use them again.
    lastNumber = max(lastNumber, acknowledged)
    pending.removeAll { $0.number <= acknowledged }
    replay()
    return true
  }

  /// Drops a pending change that was never sent; its number is given to no other one.
  ///
  /// - Parameter number: Its number.
  /// - Returns: Whether it was pending.
  public mutating func discard(_ number: UInt64) -> Bool {
    let before = pending.count
    pending.removeAll { $0.number == number }
    replay()
    return pending.count < before
  }

  private mutating func replay() {
    document = server
    rejected = []
    for change in pending {
      var changed = document
      do {
        try change.operation.apply(to: &changed)
        document = changed
      } catch {
        rejected.append(Rejected(pending: change, error: error))
      }
    }
  }
}

extension RebaseQueue.Pending: Equatable where Operation: Equatable {}
extension RebaseQueue.Pending: Encodable where Operation: Encodable {}
extension RebaseQueue.Pending: Decodable where Operation: Decodable {}

private enum RebaseQueueKeys: CodingKey {
  case server, acknowledged, pending, lastNumber
}

extension RebaseQueue: Encodable where Operation: Encodable, Operation.Document: Encodable {
  /// Encodes what the other side has and what is pending.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: RebaseQueueKeys.self)
    try values.encode(server, forKey: .server)
    try values.encode(acknowledged, forKey: .acknowledged)
    try values.encode(pending, forKey: .pending)
    try values.encode(lastNumber, forKey: .lastNumber)
  }
}

extension RebaseQueue: Decodable where Operation: Decodable, Operation.Document: Decodable {
  /// Decodes a queue, and does its pending changes again.
  ///
  /// - Throws: `DecodingError` also where the numbers of the changes are out of order.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: RebaseQueueKeys.self)
    let acknowledged = try values.decode(UInt64.self, forKey: .acknowledged)
    self.init(
      server: try values.decode(Operation.Document.self, forKey: .server),
      acknowledged: acknowledged)
    pending = try values.decode([Pending].self, forKey: .pending)
    let last = try values.decode(UInt64.self, forKey: .lastNumber)
    let numbers = [acknowledged] + pending.map(\.number)
    let isOrdered = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    let end = pending.last?.number ?? acknowledged
    guard isOrdered, last >= end, last < .max / 2 else {
      throw DecodingError.dataCorruptedError(
        forKey: .pending, in: values, debugDescription: "the numbers of the changes do not rise")
    }
    lastNumber = last
    replay()
  }
}
