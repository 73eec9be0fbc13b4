// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
public import MainstayOutbox

/// The statement that enqueues an operation, for the PostgreSQL client that an app has already.
///
/// Run within a transaction of the app, it is enqueued exactly if that is committed: what the app
/// changes and what is to be done about it are there together, or not at all. A process that drains
/// notices it by itself.
///
/// The payload is what the worker's type encodes to; an outbox with a codec of its own cannot read
/// it.
public struct PostgresEnqueue: Sendable, Hashable {
  /// The statement, with the places `$1`, `$2` and so on; its one row has the identity.
  public let text: String
  /// What stands at these places, as texts; nil for null.
  public let parameters: [String?]
  /// The identity that the operation gets, where none is there already that it is.
  public let id: OperationID

  /// Makes the statement for an operation.
  ///
  /// - Parameters:
  ///   - operation: What is to be done.
  ///   - options: Wishes about it.
  ///   - schema: The schema of the tables; the default is `mainstay`.
  /// - Throws: `OutboxError` `unencodable` where the operation cannot be encoded, or a key or
  ///   constraint holds a zero character, which this way cannot carry; `unavailable` where the
  ///   schema cannot have that name.
  public init<Operation: QueuedOperation>(
    _ operation: Operation, options: EnqueueOptions = EnqueueOptions(), schema: String = "mainstay"
  ) throws(OutboxError) {
    guard Migration.isLegal(schema: schema) else {
      throw OutboxError(.unavailable, details: Migration.illegal(schema: schema))
    }
    let payload = try operation.encoded()
    var generator = SystemRandomNumberGenerator()
    let id = OperationID.new(at: Date(), using: &generator)
    let constraints = options.constraints.map(\.rawValue).sorted()
    let names =
      options.constraints.isEmpty ? nil : "{\(constraints.map(Self.quoted).joined(separator: ","))}"
    // It stays with those behind it where the change leaves without effect.
    var base: Data?
    if options.orderingKey != nil, let merging = operation as? any MergingOperation {
      base = try merging.encodedBase(of: id)
    }
    let needs = options.dependencies.map { "{\($0.ids.map(\.description).joined(separator: ","))}" }
    let values: [(String, String?)] = [
      ("text", Operation.kind.rawValue), ("bytea", Self.hex(payload)),
      ("integer", "\(Operation.version)"), ("text", (options.lane ?? Operation.lane).rawValue),
      ("text", options.orderingKey), ("text", options.uniqueKey?.value),
      ("text", (options.uniqueKey?.ifTaken ?? .keep).rawValue),
      ("text", options.idempotencyKey?.rawValue),
      ("integer", "\((options.priority ?? Operation.priority).rawValue)"),
      ("interval", options.delay.map(Self.interval)),
      ("interval", options.timeToLive.map(Self.interval)), ("uuid[]", needs),
      ("text", (options.dependencies?.ifGivenUp ?? .waitForRedrive).rawValue), ("text[]", names),
      ("boolean", "\(options.isExpendable ?? Operation.isExpendable)"),
      ("boolean", "\(options.mayHaveBeenSent)"), ("interval", "1 hour"), ("uuid", id.description),
      ("interval", options.timeout.map(Self.interval)), ("bytea", base.map(Self.hex)),
    ]
    guard values.allSatisfy({ $0.1?.utf8.contains(0) != true }) else {
      throw OutboxError(.unencodable, details: "\(Operation.kind): a key holds a zero character")
    }
    let places = values.enumerated().map { "$\($0.offset + 1)::\($0.element.0)" }
    text = Migration.text(
      "SELECT mainstay.enqueue_bytes(\(places.joined(separator: ", ")))", schema: schema)
    parameters = values.map(\.1)
    self.id = id
  }

  private static func interval(_ duration: Duration) -> String {
    "\(max(duration.milliseconds, 0)) milliseconds"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func hex(_ data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\\x".utf8)
    text.reserveCapacity(2 + 2 * data.count)
    for byte in data { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
