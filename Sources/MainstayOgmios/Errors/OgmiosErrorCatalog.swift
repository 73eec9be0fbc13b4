// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay
public import MainstayHTTP
public import MainstayJSONRPC

/// What the numbers of Ogmios's errors mean: 92 of its schema, and six of JSON-RPC as it uses them.
///
/// Source: the schema of Ogmios 7.0 and what the server does where that is silent. A number that is
/// not here keeps its message and its data.
public enum OgmiosErrorCatalog {
  /// What one number means.
  public struct Entry: Sendable, Hashable {
    /// The number.
    public let code: Int64
    /// The name in the schema of Ogmios.
    public let name: String
    /// What may be done about it.
    public let advice: OgmiosAdvice
    /// What happened, for people, in a few words.
    public let title: String
    /// What it means, for people, in a sentence.
    public let meaning: String
    /// What a person can do.
    public let suggestion: String
    /// The members that the data may have, as Ogmios writes them.
    public let fields: [String]
    /// The page of Ogmios's documentation that it belongs to.
    public let help: URL?
  }

  /// All entries, the lowest number first.
  public static let entries: [Entry] = all.map(entry).sorted { $0.code < $1.code }

  /// What a number means; nil for one that the schema does not have.
  public static func entry(for code: Int64) -> Entry? { byCode[code] }

  /// The same as a catalogue for any client of JSON-RPC, without what the data of an error decides.
  ///
  /// Its texts have the keys of those of Ogmios, so that they are read in all languages.
  public static let catalog = JSONRPCErrorCatalog(
    entries.map { entry in
      JSONRPCErrorCatalog.Entry(
        entry.code, entry.name, title: entry.title, meaning: entry.meaning,
        disposition: entry.advice.disposition, suggestion: entry.suggestion, help: entry.help,
        mayHaveTakenEffect: entry.code == -32603,
        textKey: "error." + OgmiosTexts.code(of: entry.code))
    })

  static let all =
    OgmiosCode.envelope + OgmiosCode.queries + OgmiosCode.evaluation + OgmiosCode.ledger
    + OgmiosCode.governance

  private static let byCode = Dictionary(entries.map { ($0.code, $0) }) { $1 }

  private static func entry(_ code: OgmiosCode) -> Entry {
    Entry(
      code: Int64(code.code), name: code.name, advice: code.advice, title: code.topic.title,
      meaning: code.meaning, suggestion: code.topic.suggestion, fields: code.fields,
      help: page(of: code.code))
  }

  private static func page(of code: Int) -> URL? {
    let page =
      switch code {
      case 1000...1999: "mini-protocols/local-chain-sync/"
      case 2000...2999: "mini-protocols/local-state-query/"
      case 3000...3999, -32602: "mini-protocols/local-tx-submission/"
      case 4000...4999: "mini-protocols/local-tx-monitor/"
      default: "api/"
      }
    return URL(string: "https://ogmios.dev/" + page)
  }
}

extension OgmiosErrorCatalog {
  /// What may be done about one error, by its number and its data.
  ///
  /// A transaction that is too early may wait, and one that is too late has to be fixed: the data
  /// says which. All other numbers say it themselves.
  ///
  /// - Parameters:
  ///   - code: The number.
  ///   - data: The data that came with it; nil where there was none.
  /// - Returns: What may be done; nil for a number that the schema does not have.
  public static func advice(for code: Int64, data: JSONValue?) -> OgmiosAdvice? {
    guard let entry = entry(for: code) else { return nil }
    guard entry.advice == .waitOrFix else { return entry.advice }
    return slotsToWait(code, data) == nil ? .fix : .wait
  }

  /// Whether a number means what JSON-RPC 2.0 says: all that have a meaning there, but -32602, with
  /// which Ogmios says that it cannot read a transaction.
  static func isStandard(_ code: Int64) -> Bool {
    code != -32602 && JSONRPCErrorCatalog.standard[code] != nil
  }

  /// What policies do about one error, by its number and its data.
  ///
  /// A slot is taken for a second, as on all public networks.
  static func disposition(for code: Int64, data: JSONValue?) -> Disposition? {
    guard let advice = advice(for: code, data: data) else { return nil }
    guard let slots = slotsToWait(code, data), slots > 0 else { return advice.disposition }
    return .transient(retryAfter: .seconds(slots))
  }

  /// How many slots have to pass before the transaction is valid, zero where nobody can say; nil
  /// where waiting does not help.
  private static func slotsToWait(_ code: Int64, _ data: JSONValue?) -> Int? {
    switch code {
    case 3118:
      guard let now = data?["currentSlot"]?.integer,
        let first = data?["validityInterval"]?["invalidBefore"]?.integer, now < first
      else { return nil }
      return first.subtractingReportingOverflow(now).partialValue
    case 3130:
      // Three centuries: no chain gets further while anybody waits, so that is a mistake.
      let slot = data?["unforeseeableSlot"]?.integer
      return slot.map { (0...10_000_000_000).contains($0) } == true ? 0 : nil
    default: return nil
    }
  }
}
