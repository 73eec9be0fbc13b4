// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How errors of other people's types become ``AppError``.
///
/// An app adds its mappings to ``standard`` and sets the result once, when it starts:
///
/// ```swift
/// ErrorMapping.bootstrap(
///   .standard.adding(StoreError.self) { _ in
///     AppError(
///       code: "store.failed", kind: .server, disposition: .transient(), title: "Not bought",
///       message: "The store didn’t answer.", suggestion: "Try again.")
///   })
/// ```
///
/// An `AppError` stays itself, and a plain cancellation is one whatever a mapping says. Else these
/// are asked in turn: the added mappings, the newest first, where nil passes on to the next;
/// ``AppErrorConvertible``; whether the cause is a cancellation; the built-in mappings for
/// Foundation and POSIX. What is left is `unknown` and `unclassified`, never "network". The
/// original error is kept as the cause.
public struct ErrorMapping: Sendable {
  typealias Convert = @Sendable (any Error) -> AppError?

  struct Rule: Sendable {
    let ordinal: Int
    /// Where it stands, which says nothing about where an error happened.
    let fileID: String
    let convert: Convert
  }

  private var byType: [ObjectIdentifier: [Rule]] = [:]
  private var byDomain: [String: [Rule]] = [:]
  private var general: [Rule] = []
  private var count = 0
  private var identity: Identity?

  /// Tells mappings apart; one with nothing added has none.
  private final class Identity: Sendable {}

  /// The mapping with nothing added to it.
  public static let standard = ErrorMapping()

  /// This mapping with one for the errors of a type added.
  ///
  /// - Parameters:
  ///   - type: This type, and for a class its subclasses; `(any Error).self` means every error.
  ///   - fileID: The file of the mapping; leave it out.
  ///   - convert: Makes the error that people see, or nil to leave this one to the next mapping. It
  ///     may ask for the mapping of another error, such as the cause of this one.
  /// - Returns: This mapping and the new one, which is asked first.
  public func adding<E: Error>(
    _ type: E.Type, fileID: String = #fileID, _ convert: @escaping @Sendable (E) -> AppError?
  ) -> ErrorMapping {
    // The type of a thrown error is never `any Error` itself, so it would not be found by type.
    if type == (any Error).self {
      return adding(fileID: fileID, any: { ($0 as? E).flatMap(convert) })
    }
    var copy = self
    let rule = copy.rule(in: fileID) { error in (error as? E).flatMap(convert) }
    copy.byType[ObjectIdentifier(type), default: []].append(rule)
    return copy
  }

  /// This mapping with one for the `NSError` of a domain added.
  ///
  /// - Parameters:
  ///   - domain: The domain, such as `NSURLErrorDomain`.
  ///   - fileID: The file of the mapping; leave it out.
  ///   - convert: Makes the error that people see, or nil to leave this one to the next mapping.
  /// - Returns: This mapping and the new one, which is asked first.
  public func adding(
    domain: String, fileID: String = #fileID,
    _ convert: @escaping @Sendable (NSError) -> AppError?
  ) -> ErrorMapping {
    var copy = self
    let rule = copy.rule(in: fileID) { error in convert(error as NSError) }
    copy.byDomain[domain, default: []].append(rule)
    return copy
  }

  /// This mapping with one added that looks at every error, such as all that conform to a protocol.
  ///
  /// - Parameters:
  ///   - fileID: The file of the mapping; leave it out.
  ///   - convert: Makes the error that people see, or nil to leave it to the next mapping.
  /// - Returns: This mapping and the new one, which is asked first.
  public func adding(
    fileID: String = #fileID, any convert: @escaping @Sendable (any Error) -> AppError?
  ) -> ErrorMapping {
    var copy = self
    copy.general.append(copy.rule(in: fileID, convert))
    return copy
  }

  private mutating func rule(in fileID: String, _ convert: @escaping Convert) -> Rule {
    count += 1
    identity = Identity()
    return Rule(ordinal: count, fileID: fileID, convert: convert)
  }

  /// Whether nothing has been added.
  var isEmpty: Bool { count == 0 }

  /// What the added mappings make of an error; nil where none of them knows it.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - site: Where it was caught, for what has no place but that of its mapping.
  /// - Returns: What it is mapped to.
  func registered(_ error: any Error, at site: SourceSite? = nil) -> AppError? {
    guard count > 0 else { return nil }
    var rules = general
    if type(of: error) is AnyClass {
      // Apple's frameworks throw `NSError` objects that cast to `URLError` and its like.
      for rulesOfType in byType.values { rules += rulesOfType }
    } else {
      rules += byType[ObjectIdentifier(type(of: error))] ?? []
    }
    if !byDomain.isEmpty { rules += byDomain[Self.domain(of: error)] ?? [] }
    for rule in rules.sorted(by: { $0.ordinal > $1.ordinal }) {
      if let mapped = ConversionDepth.mapping({ rule.convert(error) }) ?? nil {
        return mapped.placed(at: site, where: mapped.site.fileID == rule.fileID)
      }
    }
    return nil
  }

  private static func domain(of error: any Error) -> String {
    // Bridging an app's own error would ask for its `appError`, which may be mapping right now.
    (error as? any AppErrorConvertible).map { type(of: $0).errorDomain }
      ?? ConversionDepth.bridged(error).domain
  }

  /// Makes an ``AppError`` of any error.
  ///
  /// Whoever asks for ``current`` meanwhile, such as a case of a family about its cause, is given
  /// this mapping.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - fileID: The file where it was caught; leave it out.
  ///   - function: The function where it was caught; leave it out.
  ///   - line: The line where it was caught; leave it out.
  /// - Returns: The error itself where it is an `AppError`, else what it is mapped to. Its place is
  ///   that of this call where it knows no better one: inside of Mainstay, of a mapping or of an
  ///   `appError` nothing has happened.
  public func map(
    _ error: any Error, fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    map(error, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// Makes an ``AppError`` of any error that was caught at a place.
  package func map(_ error: any Error, at site: SourceSite) -> AppError {
    if let error = error as? AppError ?? AppError(bridged: error) {
      return error.placed(at: site)
    }
    if CancellationCheck.isPlain(error) { return .cancelled(error, at: site) }
    return whileCurrent { convert(error, at: site) }
  }

  /// Runs what may ask for the current mapping, which is this one meanwhile.
  func whileCurrent<T>(_ body: () -> T) -> T {
    Self.current.identity === identity ? body() : Self.with(self, operation: body)
  }

  private func convert(_ error: any Error, at site: SourceSite) -> AppError {
    if let mapped = registered(error, at: site) { return mapped.keeping(error) }
    if let error = error as? any AppErrorConvertible {
      // Whoever keeps asking for the mapping of itself is not asked anything more.
      guard let converted = ConversionDepth.mapping({ error.appError }) else {
        return AppError(.unknown, cause: error, at: site)
      }
      return converted.standing(for: error)
        .placed(at: site, where: converted.site.function == "appError")
    }
    if CancellationCheck.holds(for: error, under: self) { return .cancelled(error, at: site) }
    return BuiltInMapping.map(error, at: site) ?? .unclassified(error, at: site)
  }
}

extension AppError {
  /// The same failure, with the error that it was made from among its causes.
  func keeping(_ original: any Error) -> AppError {
    guard !underlying.contains(where: { Self.isSame($0, original) }) else { return self }
    var copy = self
    copy.fields.underlying.insert(original, at: 0)
    return copy
  }

  /// The same failure with the app's own error as its cause.
  ///
  /// What it names as its causes is reached through the original: `ErrorChain` asks an
  /// ``AppErrorConvertible`` for them.
  fileprivate func standing(for original: any AppErrorConvertible) -> AppError {
    var copy = self
    copy.fields.underlying = [original]
    return copy
  }

  /// The same failure, at another place where its own says nothing about where it happened.
  ///
  /// - Parameters:
  ///   - site: Where it was converted.
  ///   - isVague: Whether its own place is that of the code which makes errors; one inside of
  ///     Mainstay always is.
  /// - Returns: The same failure.
  func placed(at site: SourceSite?, where isVague: Bool = false) -> AppError {
    guard let site, isVague || self.site.isOfMainstay, !site.isOfMainstay else { return self }
    var copy = self
    copy.fields.site = site
    return copy
  }

  private static func isSame(_ left: any Error, _ right: any Error) -> Bool {
    guard type(of: left) == type(of: right) else { return false }
    // By identity: two `NSError` are compared with their user info, which may hold them again.
    if let left = ErrorObject.of(left) { return left === ErrorObject.of(right) }
    if let left = HashableError.value(of: left), let right = HashableError.value(of: right) {
      return left == right
    }
    // Errors that describe themselves by what they are mapped to are the same.
    return ConversionDepth.describing { String(reflecting: left) == String(reflecting: right) }
      ?? true
  }
}
