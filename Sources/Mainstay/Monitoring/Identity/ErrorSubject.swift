// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One error of a chain: its identity, and what caused it.
struct ErrorSubject {
  /// Nil for a wrapper that says nothing of its own.
  var identity: ErrorIdentity?
  var causes: [any Error] = []

  /// The error that was caught, where the app's ``ErrorMapping`` has the first word.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - mapped: What ``mapped(_:)`` makes of it.
  init(caught error: any Error, mapped: AppError?) {
    if error is AppError {
      self.init(error)
    } else if Self.mayStandForStop(error), CancellationCheck.isPlain(error) {
      self.init(.cancellation)
    } else if let mapped {
      self.init(app: mapped.keeping(error))
    } else {
      self.init(error)
      if !causes.isEmpty, !(error is any AppErrorConvertible), error.isCancellation {
        self.init(.cancellation)
      }
    }
  }

  /// What the mappings that an app added make of an error.
  static func mapped(_ error: any Error) -> AppError? {
    let mapping = ErrorMapping.current
    // A mapping that asks for the group of its error must not be asked again.
    if mapping.isEmpty || error is AppError || ConversionDepth.isMapping { return nil }
    return mapping.registered(error)
  }

  /// Bridging takes long, and only what has a domain of its own can be one of Foundation's.
  private static func mayStandForStop(_ error: any Error) -> Bool {
    type(of: error) is any CustomNSError.Type || type(of: error) is NSError.Type
      || error is CancellationError
  }

  private init(_ identity: ErrorIdentity?, _ causes: [any Error] = []) {
    self.identity = identity
    self.causes = causes
  }

  /// An error of a chain.
  init(_ error: any Error) {
    if let error = error as? AppError ?? AppError(bridged: error) {
      self.init(app: error)
    } else if let error = error as? any Fingerprint.Wrapper {
      self.init(nil, [error.wrapped])
    } else if let error = error as? any AppErrorConvertible {
      self.init(convertible: error)
    } else if let error = error as? RecordedError {
      self.init(recorded: error)
    } else if error is CancellationError {
      self.init(.cancellation)
    } else if type(of: error) is NSError.Type {
      self.init(bridged: error as NSError)
    } else if type(of: error) is any CustomNSError.Type {
      let hasCases = EnumCase.name(of: error) != nil
      self.init(bridged: ConversionDepth.bridged(error))
      if hasCases, identity?.tier == .domain { identity = .type(of: error) }
    } else if error is DecodingError || error is EncodingError {
      self.init(.type(of: error), ErrorChain.causes(of: error))
    } else {
      self.init(.type(of: error))
    }
  }

  /// The code of an error about which nothing else decides; nil for any other.
  static func codeAlone(of error: AppError) -> ErrorCode? {
    guard error.underlying.isEmpty, error.disposition != .cancelled,
      !isEnvironment(error), !nobodysCodes.contains(error.code)
    else { return nil }
    return error.code
  }

  /// A mapping of Mainstay's own tells what a cause means and is no error of its own.
  private init(app error: AppError) {
    if error.disposition == .cancelled {
      self.init(.cancellation)
    } else if Self.isEnvironment(error) {
      self.init(.environment(error.kind))
    } else if Self.isTransparent(error) {
      self.init(nil, error.underlying)
    } else if Self.nobodysCodes.contains(error.code), error.underlying.isEmpty {
      self.init(.message(of: error))
    } else {
      self.init(.code(error.code), error.underlying)
    }
  }

  /// Codes that stand where an author gave none; then the wording that the author wrote decides.
  static let nobodysCodes: Set<ErrorCode> = ["unknown", "validation"]

  private init<E: AppErrorConvertible>(convertible error: E) {
    guard let app = ConversionDepth.asking({ error.appError }) else {
      self.init(.type(of: error))
      return
    }
    self.init(app: app)
    // An app's own error that calls itself unknown still has a type.
    if identity == nil { identity = .type(of: error) }
  }

  private init(recorded error: RecordedError) {
    if let recorded = error.identity {
      self.init(recorded.identity, recorded.decidesAlone ? [] : error.causes)
      return
    }
    // Recorded alone, or by an earlier release: what its code says.
    let words = error.code.split(separator: " ")
    let name = words.dropLast().joined(separator: " ")
    if let code = ErrorCode(error.code) {
      let kind = Self.environmentKinds[code]
      self.init(kind.map(ErrorIdentity.environment) ?? .code(code), kind == nil ? error.causes : [])
    } else if error.type == "Swift.CancellationError" {
      self.init(.cancellation)
    } else if let last = words.last, let number = Int(last), !name.isEmpty {
      self.init(bridged: NSError(domain: name, code: number))
      if identity?.tier == .domain { causes = error.causes }
    } else if let last = words.last, !name.isEmpty {
      self.init(.type(name, case: String(last)), error.causes)
    } else {
      self.init(.message(error.text, type: error.type), error.causes)
    }
  }

  private init(bridged error: NSError) {
    if let kind = BuiltInMapping.kind(of: error), ErrorIdentity.environment.contains(kind) {
      self.init(.environment(kind))
    } else {
      self.init(.domain(error.domain, String(error.code)), ErrorChain.causes(of: error))
    }
  }

  private static let ownRows =
    BuiltInError.general + BuiltInError.network + BuiltInError.storage + BuiltInError.coding

  private static let ownCodes = Set(ownRows.map(\.code))

  /// The codes by which Mainstay itself says where a program runs.
  private static let environmentKinds: [ErrorCode: ErrorKind] = Dictionary(
    uniqueKeysWithValues: ownRows.filter { ErrorIdentity.environment.contains($0.kind) }
      .map { ($0.code, $0.kind) })

  /// Whether nothing is said but where the program runs: whoever gave a code of his own said more.
  private static func isEnvironment(_ error: AppError) -> Bool {
    environmentKinds[error.code] == error.kind
  }

  private static func isTransparent(_ error: AppError) -> Bool {
    !error.underlying.isEmpty && ownCodes.contains(error.code)
  }
}
