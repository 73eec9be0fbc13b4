// SPDX-License-Identifier: Apache-2.0

/// The name of a group of errors that are the same: the same in every process and release.
///
/// ```swift
/// let fingerprint = Fingerprint(of: error)
/// print(fingerprint)    // 1-2c26b46b68ffc68ff99b453c1d304134
/// print(Fingerprint.explain(error))
/// ```
///
/// What decides is the first of these that an error has:
///
/// 1. a `key` given where the error is reported;
/// 2. its ``AppError/code``, also that of ``AppErrorConvertible`` and of the current
///    ``ErrorMapping``;
/// 3. the kind alone, where it is `offline`, `timeout`, `portal` or `storageFull` and the code is
///    Mainstay's own, or there is none: these say where the program runs;
/// 4. its type with the module, and the name of its case;
/// 5. domain and number, for `NSError` and its like;
/// 6. type and ``MessageTemplate``, for a type that tells its errors apart only in words.
///
/// To it come the innermost causes, as a set. Never in it are texts for people, values inside of
/// cases, addresses and lines. An `AppError` that Mainstay's own mapping made has the group of its
/// cause, so `Fingerprint(of: error)` equals `Fingerprint(of: AppError.from(error))`.
public struct Fingerprint: Sendable, Hashable {
  /// The version of the rules by which the group was found.
  public let version: Int
  private let high: UInt64
  private let low: UInt64

  /// The version of the rules that this release goes by.
  public static let currentVersion = 1

  /// Which causes of an error count.
  public enum Chain: Sendable, Hashable {
    /// The outermost error, and the innermost of each branch below it.
    case ends
    /// All, each with its depth.
    case whole
  }

  /// An error that only carries another one, and has no group of its own.
  ///
  /// What it carries is its only cause: around a cancellation, it is one.
  public protocol Wrapper: Error {
    /// The error inside.
    var wrapped: any Error { get }
  }

  /// The group that every cancellation has, which is none: count it, or leave it out.
  public static let cancellation = Fingerprint(version: currentVersion, high: 0, low: 0)

  /// Whether it stands for a cancellation rather than for a group of errors.
  public var isCancellation: Bool { high == 0 && low == 0 }

  /// Names the group of an error.
  ///
  /// It never traps: causes are followed ten deep, to 256 errors, and a cycle ends.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - key: A name of your own for the group, which then decides alone; a blank one is left out,
  ///     and one that is the error's own message is taken as its template.
  ///   - chain: Which causes count; the default is the ends.
  ///   - mapping: Which errors have a code; the default is ``ErrorMapping/current``.
  public init(
    of error: any Error, key: String? = nil, chain: Chain = .ends, mapping: ErrorMapping? = nil
  ) {
    self =
      mapping?.whileCurrent { Self.group(of: error, key: key, chain: chain) }
      ?? Self.group(of: error, key: key, chain: chain)
  }

  private static func group(of error: any Error, key: String?, chain: Chain) -> Fingerprint {
    let mapped = ErrorSubject.mapped(error)
    // An error that asks for its group while it is asked for its words is not remembered by that.
    let isPlain =
      key == nil && chain == .ends && mapped == nil && !ConversionDepth.isIdentifying
    if isPlain, let known = FingerprintCache.find(error) { return known }
    let explanation = Explanation(of: error, key: key, chain: chain, mapped: mapped)
    if isPlain, explanation.isWholeIdentity {
      FingerprintCache.keep(explanation.fingerprint, for: error)
    }
    return explanation.fingerprint
  }

  /// Names the group of whatever is reported under a key.
  ///
  /// - Parameter key: The name of the group, taken letter by letter.
  public init(key: String) { self.init(hashing: ErrorIdentity.key(key).parts) }

  /// Names the group of a message that was reported without an error, by its ``MessageTemplate``.
  ///
  /// - Parameter message: The message.
  public init(message: String) { self.init(hashing: ErrorIdentity.message(message).parts) }

  /// The first 128 bits of SHA-256 over version and parts.
  init(hashing parts: [ErrorIdentity.Part]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    let version = ErrorIdentity.Part("version", String(Self.currentVersion))
    ErrorIdentity.encoded([version], into: &bytes)
    ErrorIdentity.encoded(parts, into: &bytes)
    let words = SHA256.hash(bytes)
    self.init(
      version: Self.currentVersion, high: UInt64(words[0]) << 32 | UInt64(words[1]),
      low: UInt64(words[2]) << 32 | UInt64(words[3]))
  }

  private init(version: Int, high: UInt64, low: UInt64) {
    self.version = version
    self.high = high
    self.low = low
  }
}

extension Fingerprint: LosslessStringConvertible {
  /// Reads a fingerprint, also one of another version.
  ///
  /// - Parameter description: The version, a hyphen and 32 digits in lower case.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let version = Int(parts[0]), version > 0, parts[0] == "\(version)",
      parts[1].utf8.count == 32, parts[1].utf8.allSatisfy(Self.isDigit),
      let high = UInt64(parts[1].prefix(16), radix: 16),
      let low = UInt64(parts[1].suffix(16), radix: 16)
    else { return nil }
    self.init(version: version, high: high, low: low)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    Byte.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// The version, a hyphen and 32 hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\(version)-".utf8)
    for word in [high, low] {
      for shift in stride(from: 60, through: 0, by: -4) {
        text.append(digits[Int(truncatingIfNeeded: word >> UInt64(shift)) & 15])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Fingerprint: Codable {
  /// Decodes a fingerprint from its text.
  ///
  /// - Throws: `DecodingError.dataCorrupted` where the text is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let fingerprint = Fingerprint(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text.prefix(64))\" is not a fingerprint")
    }
    self = fingerprint
  }

  /// Encodes the fingerprint as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
