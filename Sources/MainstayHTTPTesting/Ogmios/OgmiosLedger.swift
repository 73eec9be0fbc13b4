// SPDX-License-Identifier: Apache-2.0

/// What the node behind an ``OgmiosServer`` knows: a chain, waiting transactions, and its era.
///
/// It is made up, and the same in every run: two ledgers of the same length have equal blocks.
public struct OgmiosLedger: Sendable, Hashable {
  /// A block of the chain.
  public struct Block: Sendable, Hashable {
    /// The slot, counted from the beginning of the chain.
    public let slot: Int
    /// How many blocks lie below it.
    public let height: Int
    /// Its name: 64 hexadecimal digits.
    public let id: String
    /// The names of the transactions in it.
    public let transactions: [String]
  }

  /// A transaction that waits to be put into a block.
  public struct Transaction: Sendable, Hashable {
    /// Its name: 64 hexadecimal digits.
    public let id: String
    /// Its bytes in hexadecimal digits.
    public let cbor: String
  }

  /// The chain, the oldest block first.
  public private(set) var blocks: [Block] = []
  /// The transactions that wait, the oldest first.
  public private(set) var mempool: [Transaction] = []
  /// The era of the ledger; the default is `conway`.
  public var era = "conway"
  /// The era that questions about the ledger are written for; the default is `conway`.
  ///
  /// While it differs from ``era``, they are refused with 2001.
  public var queryEra = "conway"
  /// The epoch; the default is 512.
  public var epoch = 512
  /// How much of the chain the node has, from 0 to 1; the default is 1.
  public var synchronization = 1.0
  /// Whether the server has a connection to the node; the default is true.
  public var isConnected = true
  /// How often all acquired views of the ledger have run out.
  public private(set) var expiries = 0
  /// How often the waiting transactions have changed.
  private(set) var mempoolChanges = 0
  private var forks = 0

  /// Makes a ledger.
  ///
  /// - Parameter blocks: How many blocks its chain has; 1 or more, the default is 10.
  public init(blocks: Int = 10) {
    for _ in 0..<max(blocks, 1) { forge() }
  }

  /// The newest block.
  public var tip: Block { blocks.last ?? Self.genesis }

  private static let genesis = Block(
    slot: 0, height: 0, id: digits(of: "genesis"), transactions: [])

  /// Makes a block of everything that waits.
  public mutating func forge() {
    let height = (blocks.last?.height ?? -1) + 1
    let slot = (blocks.last?.slot ?? 0) + 20
    let ids = mempool.map(\.id)
    if !mempool.isEmpty { mempoolChanges += 1 }
    mempool = []
    let id = Self.digits(of: "\(forks)/\(height)/\(ids.joined())")
    blocks.append(Block(slot: slot, height: height, id: id, transactions: ids))
  }

  /// Takes blocks off the chain; their transactions are gone, and blocks made later have other
  /// names.
  ///
  /// - Parameter count: How many; the first block stays in any case.
  public mutating func rollBack(by count: Int) {
    forks += 1
    blocks.removeLast(min(max(count, 0), blocks.count - 1))
  }

  /// Lets all acquired views of the ledger run out, as when the chain has moved on too far.
  public mutating func expireSnapshots() { expiries += 1 }

  /// Puts a transaction among those that wait.
  ///
  /// - Parameter cbor: Its bytes in hexadecimal digits.
  /// - Returns: Its name; nil where it waits or lies in a block already.
  @discardableResult public mutating func submit(_ cbor: String) -> String? {
    let id = Self.transactionID(of: cbor)
    guard !knows(id) else { return nil }
    mempool.append(Transaction(id: id, cbor: cbor))
    mempoolChanges += 1
    return id
  }

  /// Drops everything that waits.
  public mutating func clearMempool() {
    mempool = []
    mempoolChanges += 1
  }

  /// Whether a transaction waits or lies in a block.
  public func knows(_ id: String) -> Bool {
    mempool.contains { $0.id == id } || isConfirmed(id)
  }

  /// Whether a transaction lies in a block.
  public func isConfirmed(_ id: String) -> Bool { blocks.contains { $0.transactions.contains(id) } }

  func block(slot: Int, id: String) -> Int? {
    blocks.firstIndex { $0.slot == slot && $0.id == id }
  }

  /// The name that this ledger gives to a transaction; a real one hashes its body by Blake2b.
  ///
  /// - Parameter cbor: The bytes of the transaction in hexadecimal digits.
  /// - Returns: 64 hexadecimal digits, the same for the same bytes.
  public static func transactionID(of cbor: String) -> String { digits(of: "tx" + cbor) }

  /// 64 hexadecimal digits of a text: FNV-1a with four beginnings.
  private static func digits(of text: String) -> String {
    (0..<4 as Range<UInt64>).map { part in
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325 &+ part
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
