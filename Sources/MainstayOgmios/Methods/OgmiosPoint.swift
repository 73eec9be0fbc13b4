// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

/// A place on the chain.
public enum OgmiosPoint: Sendable, Hashable {
  /// Before the first block.
  case origin
  /// A block: its slot, and its name of 64 hexadecimal digits.
  case block(slot: UInt64, id: String)

  /// Its name; nil before the first block.
  var id: String? { if case .block(_, let id) = self { id } else { nil } }

  /// Its slot; zero before the first block.
  var slot: UInt64 { if case .block(let slot, _) = self { slot } else { 0 } }

  /// The place as Ogmios writes it.
  public var json: JSONValue {
    switch self {
    case .origin: .string("origin")
    case .block(let slot, let id): .object(["slot": .natural(slot), "id": .string(id)])
    }
  }

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    if reader.value.string == "origin" {
      self = .origin
    } else {
      self = .block(slot: try reader["slot"].natural(), id: try reader["id"].text())
    }
  }
}

extension OgmiosPoint: Codable {
  private enum Member: String, CodingKey {
    case slot, id
  }

  /// Reads a place that was kept, in the form of ``json``.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      guard text == "origin" else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "A place is origin or a block"))
      }
      self = .origin
      return
    }
    let members = try decoder.container(keyedBy: Member.self)
    self = .block(
      slot: try members.decode(UInt64.self, forKey: .slot),
      id: try members.decode(String.self, forKey: .id))
  }

  /// Writes the place as Ogmios does, to be kept and found again after a start.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .origin:
      var container = encoder.singleValueContainer()
      try container.encode("origin")
    case .block(let slot, let id):
      var members = encoder.container(keyedBy: Member.self)
      try members.encode(slot, forKey: .slot)
      try members.encode(id, forKey: .id)
    }
  }
}

/// The end of the chain that a node has.
public struct OgmiosTip: Sendable, Hashable {
  /// Where it is.
  public let point: OgmiosPoint
  /// How many blocks lie below; nil at the origin, and where the server does not say.
  public let height: UInt64?

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    point = try OgmiosPoint(reader)
    height = try reader["height"].optional { value throws(OgmiosError) in try value.natural() }
  }
}

/// Where a node and its caller agree.
public struct OgmiosIntersection: Sendable, Hashable {
  /// The first of the points that the node has.
  public let point: OgmiosPoint
  /// The end of the node's chain.
  public let tip: OgmiosTip

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    point = try OgmiosPoint(reader["intersection"])
    tip = try OgmiosTip(reader["tip"])
  }
}

/// A block of the chain.
public struct OgmiosBlock: Sendable, Hashable {
  /// Its name.
  public let id: String
  /// Its era, such as `conway`.
  public let era: String
  /// How many blocks lie below.
  public let height: UInt64
  /// Its slot; nil for the boundary of an epoch in Byron, which has none.
  public let slot: UInt64?
  /// The names of the transactions in it, in order.
  public let transactions: [String]
  /// The block as a whole; servers with `--include-cbor` add its bytes as `cbor`.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    id = try reader["id"].text()
    era = try reader["era"].text()
    height = try reader["height"].natural()
    slot = try reader["slot"].optional { value throws(OgmiosError) in try value.natural() }
    let all = try reader["transactions"].optional { list throws(OgmiosError) in
      try list.list { transaction throws(OgmiosError) in try transaction["id"].text() }
    }
    transactions = all ?? []
    json = reader.value
  }

  /// Where it is; nil for a boundary of an epoch in Byron.
  public var point: OgmiosPoint? { slot.map { .block(slot: $0, id: id) } }
}

/// The next thing that happened on the chain.
public enum OgmiosChainStep: Sendable, Hashable {
  /// A block follows.
  case forward(OgmiosBlock, tip: OgmiosTip)
  /// All blocks after a place are gone.
  case backward(to: OgmiosPoint, tip: OgmiosTip)

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    let tip = try OgmiosTip(reader["tip"])
    switch try reader["direction"].text() {
    case "forward": self = .forward(try OgmiosBlock(reader["block"]), tip: tip)
    case "backward": self = .backward(to: try OgmiosPoint(reader["point"]), tip: tip)
    default: throw reader["direction"].wrong("forward or backward")
    }
  }
}
