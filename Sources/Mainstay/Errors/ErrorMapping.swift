// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How errors of other people's types become ``AppError``.
///
/// An app adds its mappings to ``standard`` and sets the result once, when it starts:
///
/// ```swift
/// ErrorMapping.bootstrap(
///   .standard.adding(StoreKitError.self) { error in
///     AppError(code: "store.failed", kind: .server, disposition: .transient(), …)
///   })
/// ```
///
/// The order is: an `AppError` stays itself; then the added mappings, the newest first, where nil
/// passes on to the next; then ``AppErrorConvertible``; then cancellation in all its forms; then the
/// built-in mappings for Foundation and POSIX; and what is left is `unknown` and `unclassified`, never
/// "network". The original error is kept as the cause.
public struct ErrorMapping: Sendable {
  typealias Convert = @Sendable (any Error) -> AppError?

  struct Rule: Sendable {
    let ordinal: Int
    let convert: Convert
  }

  private var byType: [ObjectIdentifier: [Rule]] = [:]
  private var byDomain: [String: [Rule]] = [:]
  private var general: [Rule] = []
  private var count = 0

  /// The mapping with nothing added to it.
  public static let standard = ErrorMapping()

  /// This mapping with one for the errors of a type added.
  ///
  /// - Parameters:
  ///   - type: Exactly this type; a subclass needs a mapping of its own.
  ///   - convert: Makes the error that people see, or nil to leave this one to the next mapping.
  /// - Returns: This mapping and the new one, which is asked first.
  public func adding<E: Error>(
    _ type: E.Type, _ convert: @escaping @Sendable (E) -> AppError?
  ) -> ErrorMapping {
    var copy = self
    copy.byType[ObjectIdentifier(type), default: []].append(
      copy.rule { error in (error as? E).flatMap(convert) })
    return copy
  }

  /// This mapping with one for the `NSError` of a domain added.
  ///
  /// - Parameters:
  ///   - domain: The domain, such as `NSURLErrorDomain`.
  ///   - convert: Makes the error that people see, or nil to leave this one to the next mapping.
  /// - Returns: This mapping and the new one, which is asked first.
  public func adding(
    domain: String, _ convert: @escaping @Sendable (NSError) -> AppError?
  ) -> ErrorMapping {
    var copy = self
    copy.byDomain[domain, default: []].append(copy.rule { error in convert(error as NSError) })
    return copy
  }

  /// This mapping with one added that looks at every error, such as all that conform to a protocol.
  ///
  /// - Parameter convert: Makes the error that people see, or nil to leave it to the next mapping.
  /// - Returns: This mapping and the new one, which is asked first.
  public func adding(
    any convert: @escaping @Sendable (any Error) -> AppError?
  ) -> ErrorMapping {
    var copy = self
    copy.general.append(copy.rule(convert))
    return copy
  }

  private mutating func rule(_ convert: @escaping Convert) -> Rule {
    count += 1
    return Rule(ordinal: count, convert: convert)
  }

  /// What the added mappings make of an error; nil where none of them knows it.
  func registered(_ error: any Error) -> AppError? {
    guard count > 0 else { return nil }
    var rules = byType[ObjectIdentifier(type(of: error))] ?? []
    if !byDomain.isEmpty { rules += byDomain[(error as NSError).domain] ?? [] }
    rules += general
    for rule in rules.sorted(by: { $0.ordinal > $1.ordinal }) {
      if let mapped = rule.convert(error) { return mapped }
    }
    return nil
  }

  /// Makes an ``AppError`` of any error.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - site: Where it was caught; used where the error brings no place of its own.
  /// - Returns: The error itself where it is an `AppError`, else what it is mapped to.
  public func map(_ error: any Error, site: SourceSite = SourceSite()) -> AppError {
    if let error = error as? AppError { return error }
    if let mapped = registered(error) { return mapped.keeping(error) }
    if let error = error as? any AppErrorConvertible { return error.appError.keeping(error) }
    if CancellationCheck.holds(for: error) { return .cancelled(error, at: site) }
    return BuiltInMapping.map(error, at: site) ?? .unknown(error, at: site)
  }
}

extension AppError {
  /// The same failure with the error that it was made from as its cause.
  ///
  /// What the made error names as its causes is reached through the original: `ErrorChain` asks an
  /// ``AppErrorConvertible`` for them. A foreign original is put before them instead.
  fileprivate func keeping(_ original: any Error) -> AppError {
    var copy = self
    if original is any AppErrorConvertible {
      copy.fields.underlying = [original]
    } else if !underlying.contains(where: { type(of: $0) == type(of: original) }) {
      copy.fields.underlying.insert(original, at: 0)
    }
    return copy
  }
}
