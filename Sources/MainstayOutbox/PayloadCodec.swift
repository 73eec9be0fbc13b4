// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Seals what an outbox keeps on the disk, so that nobody else can read it there: payloads, what
/// workers return, checkpoints, and what the other side has of a record.
///
/// A ``SQLiteCacheStore`` takes one as well, for the answers that it keeps.
///
/// `AESGCMPayloadCodec` of the trait `Encryption` is one. Identities, kinds, keys, lanes, times and
/// error messages are not sealed: the outbox has to find its work by them, also where the key is
/// lost.
///
/// What was kept before there was a codec is still read. What cannot be opened, such as for want of
/// a key, is parked, and tried again when the outbox is opened the next time.
public protocol PayloadCodec: Sendable {
  /// Seals bytes.
  ///
  /// - Parameters:
  ///   - plain: The bytes.
  ///   - binding: What they are, such as a payload of a kind and version.
  /// - Returns: The sealed bytes, with all that opening them needs but the secret itself.
  /// - Throws: Whatever hinders it; then nothing is kept.
  func seal(_ plain: Data, binding: Data) throws -> Data

  /// Opens what was sealed.
  ///
  /// - Parameters:
  ///   - sealed: What ``seal(_:binding:)`` returned, maybe of an earlier build.
  ///   - binding: The same as for sealing.
  /// - Returns: The bytes.
  /// - Throws: Where the secret is missing, or the bytes or the binding are others than those that
  ///   were sealed.
  func open(_ sealed: Data, binding: Data) throws -> Data
}

/// Seals and opens what an outbox or a cache keeps; without a codec all of it is plain.
struct Vault: Sendable {
  /// What bytes are; they are opened as nothing else.
  enum Content {
    case payload(PayloadType)
    case checkpoint(OperationKind)
    case output(OperationKind)
    /// What the other side has of the record of an ordering key: all kinds that change it read it.
    case record(String)
    case answer(CacheEntry.Key, form: String)

    fileprivate var binding: Data {
      switch self {
      case .payload(let type): Data("payload\0\(type.kind)\0\(type.version)".utf8)
      case .checkpoint(let kind): Data("checkpoint\0\(kind)".utf8)
      case .output(let kind): Data("output\0\(kind)".utf8)
      case .record(let key): Data("record\0\(key)".utf8)
      case .answer(let key, let form):
        // Names are any text: their lengths say where they end.
        [key.partition.name, key.name, form].reduce(into: Data("answer\0".utf8)) {
          $0 += Data("\($1.utf8.count)\0\($1)".utf8)
        }
      }
    }
  }

  // mainstay:ignore MS102 -- it never leaves a run
  /// There is no codec, and the bytes are sealed.
  struct NoCodec: Error {}

  /// What sealed bytes begin with; no JSON does.
  static let mark = Data("\0mainstay.sealed.1\0".utf8)

  let codec: (any PayloadCodec)?

  func sealed(_ plain: Data, as content: Content) throws -> Data {
    guard let codec else { return plain }
    return Self.mark + (try codec.seal(plain, binding: content.binding))
  }

  func opened(_ data: Data, as content: Content) throws -> Data {
    guard Self.isSealed(data) else { return data }
    guard let codec else { throw NoCodec() }
    return try codec.open(Data(data.dropFirst(Self.mark.count)), binding: content.binding)
  }

  static func isSealed(_ data: Data) -> Bool { data.starts(with: mark) }
}

extension Vault {
  /// An answer as it lies in the file of a cache.
  func sealed(_ entry: CacheEntry) throws -> CacheEntry {
    guard codec != nil else { return entry }
    return entry.with(try sealed(entry.bytes, as: .answer(entry.key, form: entry.form)))
  }

  /// An answer as it was given; nil where it cannot be opened, or where it lies open although there
  /// is a codec: a cache can do without it.
  func opened(_ entry: CacheEntry) -> CacheEntry? {
    guard Self.isSealed(entry.bytes) == (codec != nil) else { return nil }
    guard codec != nil else { return entry }
    return (try? opened(entry.bytes, as: .answer(entry.key, form: entry.form))).map(entry.with)
  }

  /// An operation whose payload and checkpoint can be read, where they can be opened.
  func opened(_ operation: StoredOperation) -> StoredOperation {
    guard Self.isSealed(operation.payload) else { return operation }
    var operation = operation
    let type = operation.type
    operation.payload =
      (try? opened(operation.payload, as: .payload(type))) ?? operation.payload
    operation.checkpoint = operation.checkpoint.flatMap {
      try? opened($0, as: .checkpoint(type.kind))
    }
    return operation
  }

  func opened(_ letter: DeadLetter) -> DeadLetter {
    DeadLetter(
      operation: opened(letter.operation), reason: letter.reason, since: letter.since,
      holdsKey: letter.holdsKey)
  }

  func opened(_ conflict: OutboxConflict) -> OutboxConflict {
    let content = Content.record(conflict.operation.record)
    return OutboxConflict(
      operation: opened(conflict.operation),
      remote: conflict.remote.flatMap { try? opened($0, as: content) }, fields: conflict.fields,
      since: conflict.since)
  }
}

extension StoredOperation {
  /// Whether the payload is sealed, and the present process has not opened it.
  public var isSealed: Bool { Vault.isSealed(payload) }

  /// The record that it changes, with all others of its ordering key.
  var record: String { orderingKey ?? id.description }
}

extension CacheEntry {
  /// The same with other bytes.
  fileprivate func with(_ bytes: Data) -> CacheEntry {
    CacheEntry(
      key: key, bytes: bytes, form: form, validator: validator, tags: tags, initialAge: initialAge,
      freshFor: freshFor, mustRevalidate: mustRevalidate,
      staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError)
  }
}
