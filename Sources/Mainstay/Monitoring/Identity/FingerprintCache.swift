// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The fingerprints of errors whose type and case decide alone.
///
/// Hashing takes a microsecond, finding takes a tenth of it. What is kept depends on nothing but
/// type and case, or the one byte that is all of a value, so an entry is never wrong; the cache
/// starts anew when it is full.
enum FingerprintCache {
  private enum Key: Hashable {
    /// The only byte of a value, or the address of the name of its case.
    case value(ObjectIdentifier, UInt)
    case code(ErrorCode)
  }

  private static let maximumCount = 4096
  private static let known = Locked<[Key: Fingerprint]>([:])
  private static let names = Locked<[ObjectIdentifier: Name]>([:])

  /// The name of a type with its module.
  struct Name {
    let text: String
    /// Whether something was taken out that tells it from another type of that name.
    let isStripped: Bool
  }

  /// The name of a type with its module; taking out what changes from run to run takes long.
  static func name(of type: any Any.Type) -> Name {
    let id = ObjectIdentifier(type)
    if let name = names.withLock({ $0[id] }) { return name }
    let full = String(reflecting: type)
    let name = Name(
      text: QualifiedTypeName.stripped(full), isStripped: QualifiedTypeName.isStripped(full))
    names.withLock { names in
      if names.count >= maximumCount { names.removeAll(keepingCapacity: true) }
      names[id] = name
    }
    return name
  }

  static func find(_ error: any Error) -> Fingerprint? {
    guard let key = key(of: error) else { return nil }
    return known.withLock { $0[key] }
  }

  static func keep(_ fingerprint: Fingerprint, for error: any Error) {
    guard isKept(error), let key = key(of: error) else { return }
    known.withLock { known in
      if known.count >= maximumCount { known.removeAll(keepingCapacity: true) }
      known[key] = fingerprint
    }
  }

  private static func key<E: Error>(of error: E) -> Key? {
    if E.self == AppError.self {
      return (error as? AppError).flatMap(ErrorSubject.codeAlone).map(Key.code)
    }
    let type = ObjectIdentifier(E.self)
    if MemoryLayout<E>.size <= 1 {
      let byte = withUnsafeBytes(of: error) { $0.first.map(UInt.init) ?? 0 }
      return .value(type, byte)
    }
    return EnumCase.address(of: error).map { .value(type, $0) }
  }

  /// Whether nothing but the key decides about an error's group.
  ///
  /// An app's own error is asked each time for the code of a case that carries values.
  private static func isKept<E: Error>(_ error: E) -> Bool {
    if E.self == AppError.self { return true }
    if error is any Fingerprint.Wrapper { return false }
    let isAsked = E.self is any CustomNSError.Type
    guard isAsked || E.self == DecodingError.self || E.self == EncodingError.self else {
      return true
    }
    return MemoryLayout<E>.size <= 1 && EnumCase.address(of: error) != nil
  }
}
