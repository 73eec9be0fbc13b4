// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// What the numbers of a server's errors mean: data that an app, or a file, brings along.
///
/// ```swift
/// let catalog = JSONRPCErrorCatalog.standard.merging(try .init(json: Data(contentsOf: file)))
/// ```
///
/// A number that no entry has keeps its message and data, and nobody says what may be done.
public struct JSONRPCErrorCatalog: Sendable, Hashable {
  /// What one number means.
  public struct Entry: Sendable, Hashable, Codable {
    /// The number.
    public var code: Int64
    /// The name in the server's documentation, for logs.
    public var name: String
    /// What happened, for people, in a few words; nil for words that suit any refusal.
    public var title: String?
    /// What it means, for people, in a sentence or two.
    public var meaning: String
    /// What may be done.
    public var disposition: Disposition
    /// What a person can do; nil where there is nothing to suggest.
    public var suggestion: String?
    /// A page that explains it.
    public var help: URL?
    /// Whether the server may have done what it was asked: the outcome of a method that must not
    /// run twice is unknown then, whatever ``disposition`` says.
    public var mayHaveTakenEffect: Bool
    /// What the keys of its texts begin with, such as `error.shop.sold-out`; `.title`, `.message`
    /// and `.suggestion` follow.
    ///
    /// `TextCatalog` finds translations under these keys. Nil, the default, for `error.jsonrpc.`
    /// and the number, with `minus-` before one below zero. Entries with a key of Mainstay's own
    /// are read in all its languages, so other words need another key.
    public var textKey: String?

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - code: The number.
    ///   - name: The name in the server's documentation.
    ///   - title: What happened, in a few words; the default suits any refusal.
    ///   - meaning: What it means, in a sentence or two.
    ///   - disposition: What may be done.
    ///   - suggestion: What a person can do; the default is nothing.
    ///   - help: A page that explains it; the default is none.
    ///   - mayHaveTakenEffect: Whether the server may have done what it was asked; the default is
    ///     false.
    ///   - textKey: What the keys of its texts begin with; the default is `error.jsonrpc.` and the
    ///     number.
    public init(
      _ code: Int64, _ name: String, title: String? = nil, meaning: String,
      disposition: Disposition, suggestion: String? = nil, help: URL? = nil,
      mayHaveTakenEffect: Bool = false, textKey: String? = nil
    ) {
      self.code = code
      self.name = name
      self.title = title
      self.meaning = meaning
      self.disposition = disposition
      self.suggestion = suggestion
      self.help = help
      self.mayHaveTakenEffect = mayHaveTakenEffect
      self.textKey = textKey
    }

    private enum CodingKeys: String, CodingKey {
      case code, name, title, meaning, disposition, suggestion, help, mayHaveTakenEffect
      case textKey
    }

    /// Decodes an entry; `title`, `suggestion`, `help`, `mayHaveTakenEffect` and `textKey` may be
    /// left out.
    ///
    /// - Throws: `DecodingError` where another member is missing or of a wrong type.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      code = try container.decode(Int64.self, forKey: .code)
      name = try container.decode(String.self, forKey: .name)
      title = try container.decodeIfPresent(String.self, forKey: .title)
      meaning = try container.decode(String.self, forKey: .meaning)
      disposition = try container.decode(Disposition.self, forKey: .disposition)
      suggestion = try container.decodeIfPresent(String.self, forKey: .suggestion)
      help = try container.decodeIfPresent(URL.self, forKey: .help)
      mayHaveTakenEffect =
        try container.decodeIfPresent(Bool.self, forKey: .mayHaveTakenEffect) ?? false
      textKey = try container.decodeIfPresent(String.self, forKey: .textKey)
    }
  }

  private var byCode: [Int64: Entry]

  /// Makes a catalogue; of entries with one number the last counts.
  ///
  /// - Parameter entries: The entries, in any order.
  public init(_ entries: [Entry]) {
    byCode = Dictionary(entries.map { ($0.code, $0) }, uniquingKeysWith: { $1 })
  }

  /// All entries, the lowest number first.
  public var entries: [Entry] { byCode.values.sorted { $0.code < $1.code } }

  /// What a number means; nil where no entry has it.
  public subscript(code: Int64) -> Entry? { byCode[code] }

  /// This catalogue with the entries of another one, which win where both have a number.
  ///
  /// - Parameter other: The other catalogue.
  /// - Returns: Both.
  public func merging(_ other: JSONRPCErrorCatalog) -> JSONRPCErrorCatalog {
    var copy = self
    copy.byCode.merge(other.byCode) { $1 }
    return copy
  }
}

extension JSONRPCErrorCatalog: Codable {
  /// Reads a list of entries.
  ///
  /// - Parameter data: The list, as JSON.
  /// - Throws: `DecodingError` with the place of what is wrong.
  public init(json data: Data) throws {
    self = try JSONDecoder().decode(Self.self, from: data)
  }

  /// Decodes a list of entries.
  ///
  /// - Throws: `DecodingError` where an entry is not legal.
  public init(from decoder: any Decoder) throws {
    self.init(try [Entry](from: decoder))
  }

  /// Encodes the entries as a list, the lowest number first.
  public func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }
}
