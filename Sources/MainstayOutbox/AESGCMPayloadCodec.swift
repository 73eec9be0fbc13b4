// SPDX-License-Identifier: Apache-2.0

#if Encryption
  public import Crypto
  public import Foundation

  /// Seals with AES in Galois/Counter Mode (NIST SP 800-38D), under one of several keys.
  ///
  /// ```swift
  /// configuration.codec = AESGCMPayloadCodec(keys: ["2026": key], sealingWith: "2026")
  /// ```
  ///
  /// Keep the keys in a keychain or a secret store, never beside the file. To change the key, add
  /// one and seal with that; drop the old one when nothing sealed with it waits any more. Without
  /// its key an operation is parked, not lost.
  public struct AESGCMPayloadCodec: PayloadCodec {
    // mainstay:ignore MS102 -- an outbox shows its own error
    /// Why something cannot be opened.
    public enum Failure: Error, Equatable {
      /// There is no key of this name.
      case missingKey(String)
      /// It is not what was sealed.
      case malformed
    }

    private let keys: [String: SymmetricKey]
    private let current: String

    /// Makes a codec.
    ///
    /// - Parameters:
    ///   - keys: The keys, by name: 128, 192 or 256 bits each; a name has 1 to 255 bytes, and
    ///     stands on the disk beside what was sealed with its key.
    ///   - current: The name of the key that seals from now on.
    public init(keys: [String: SymmetricKey], sealingWith current: String) {
      precondition(
        keys[current] != nil, "AESGCMPayloadCodec: there is no key named \"\(current)\"")
      for (name, key) in keys {
        precondition(
          (1...255).contains(name.utf8.count),
          "AESGCMPayloadCodec: \"\(name)\" is not legal: a name has 1 to 255 bytes")
        precondition(
          [128, 192, 256].contains(key.bitCount),
          "AESGCMPayloadCodec: the key \"\(name)\" has \(key.bitCount) bits: 128, 192 or 256")
      }
      self.keys = keys
      self.current = current
    }

    /// Seals bytes under the current key, with a random nonce.
    public func seal(_ plain: Data, binding: Data) throws -> Data {
      guard let key = keys[current] else { throw Failure.missingKey(current) }
      let box = try AES.GCM.seal(plain, using: key, authenticating: binding)
      guard let combined = box.combined else { throw Failure.malformed }
      return Data([UInt8(current.utf8.count)]) + Data(current.utf8) + combined
    }

    /// Opens bytes under the key that sealed them.
    public func open(_ sealed: Data, binding: Data) throws -> Data {
      let sealed = Data(sealed)
      guard let count = sealed.first.map(Int.init), count > 0, sealed.count > count else {
        throw Failure.malformed
      }
      let name = String(decoding: sealed[1...count], as: UTF8.self)
      guard let key = keys[name] else { throw Failure.missingKey(name) }
      let box = try AES.GCM.SealedBox(combined: Data(sealed.dropFirst(1 + count)))
      return try AES.GCM.open(box, using: key, authenticating: binding)
    }
  }
#endif
