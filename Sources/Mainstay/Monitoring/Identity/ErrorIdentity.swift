// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What tells one error apart from others, without its causes and without any value of the moment.
struct ErrorIdentity: Hashable {
  /// One part of it, such as ("case", "declined").
  struct Part: Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  let tier: Fingerprint.Tier
  let parts: [Part]
  /// Whether another type of the same name may have the same identity; says nothing about equality.
  private(set) var isAmbiguous = false

  static let cancellation = ErrorIdentity(.cancellation, [Part("kind", "cancelled")])

  init(_ tier: Fingerprint.Tier, _ parts: [Part]) {
    self.tier = tier
    self.parts = parts
  }

  static func key(_ key: String) -> ErrorIdentity { ErrorIdentity(.key, [Part("key", key)]) }

  static func code(_ code: ErrorCode) -> ErrorIdentity {
    ErrorIdentity(.code, [Part("code", code.rawValue)])
  }

  static func environment(_ kind: ErrorKind) -> ErrorIdentity {
    ErrorIdentity(.environment, [Part("kind", kind.rawValue)])
  }

  static func domain(_ domain: String, _ number: String) -> ErrorIdentity {
    let domain = QualifiedTypeName.stripped(domain)
    return ErrorIdentity(.domain, [Part("domain", domain), Part("number", number)])
  }

  static func message(_ text: String, type: String? = nil) -> ErrorIdentity {
    let type = type.map { [Part("type", $0)] } ?? []
    return ErrorIdentity(.message, type + [Part("template", MessageTemplate(text).redacted)])
  }

  static func message(of error: AppError) -> ErrorIdentity {
    let template = MessageTemplate(of: error.message).redacted
    return ErrorIdentity(
      .message, [Part("code", error.code.rawValue), Part("template", template)])
  }

  static func type(_ name: String, case enumCase: String) -> ErrorIdentity {
    ErrorIdentity(.type, [Part("type", name), Part("case", enumCase)])
  }

  /// The identity of an error of which nothing is known but its Swift type.
  static func type<E: Error>(of error: E) -> ErrorIdentity {
    let name = FingerprintCache.name(of: E.self)
    var identity: ErrorIdentity
    if let enumCase = EnumCase.name(of: error) {
      identity = .type(name.text, case: enumCase)
    } else {
      // What is asked here may ask for the group of the error again.
      let asked = ConversionDepth.identifying { withoutCase(error, named: name.text) }
      identity = asked ?? ErrorIdentity(.type, [Part("type", name.text)])
    }
    identity.isAmbiguous = name.isStripped
    return identity
  }

  private static func withoutCase<E: Error>(_ error: E, named name: String) -> ErrorIdentity {
    if isEnum(error) {  // built without reflection: what is left is the ordinal of the case
      let bridged = error as NSError
      return .domain(bridged.domain, String(bridged.code))
    }
    // The types are asked, since every error casts to what its bridge conforms to.
    if E.self is any CustomStringConvertible.Type, !(E.self is any LocalizedError.Type),
      !(E.self is any ReticentError.Type)
    {
      return .message(String(describing: error), type: name)
    }
    return ErrorIdentity(.type, [Part("type", name)])
  }

  private static func isEnum<E: Error>(_ error: E) -> Bool {
    Mirror(reflecting: error).displayStyle == .enum
  }

  static func == (left: ErrorIdentity, right: ErrorIdentity) -> Bool {
    left.tier == right.tier && left.parts == right.parts
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(tier)
    hasher.combine(parts)
  }

  /// The kinds that say more about where the program runs than about the program.
  static let environment: Set<ErrorKind> = [.offline, .timeout, .portal, .storageFull]

  /// The parts with the lengths of names and values before them, so that no two lists look alike.
  static func encoded(_ parts: [Part], into bytes: inout [UInt8]) {
    for part in parts {
      for text in [part.name, part.value] {
        let count = UInt32(clamping: text.utf8.count)
        for shift: UInt32 in [24, 16, 8, 0] {
          bytes.append(UInt8(truncatingIfNeeded: count >> shift))
        }
        bytes.append(contentsOf: text.utf8)
      }
    }
  }

  /// The order of identities where a set of them is hashed: that of the bytes.
  static func precedes(_ left: ErrorIdentity, _ right: ErrorIdentity) -> Bool {
    var (a, b): ([UInt8], [UInt8]) = ([], [])
    encoded(left.parts, into: &a)
    encoded(right.parts, into: &b)
    return a.lexicographicallyPrecedes(b)
  }
}
