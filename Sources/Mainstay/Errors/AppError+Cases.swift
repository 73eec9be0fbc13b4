// SPDX-License-Identifier: Apache-2.0

/// The cases that nearly every app has, made by name and told apart with `switch error.kind`.
extension AppError {
  /// Something failed between the device and a service.
  ///
  /// What the cause says about it is kept: an error of `URLSession` that says "offline" or "timed
  /// out" gives its texts, its disposition and its actions. So does a cause of another kind that
  /// somebody has classified, such as a sign-in that has expired or a disk that is full, but for
  /// the title. A cancellation stays one.
  ///
  /// - Parameters:
  ///   - cause: What failed; kept as the cause.
  ///   - mapping: How it is classified; the default is ``ErrorMapping/current``.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error of the kind `network`; transient where the cause does not say otherwise.
  public static func network(
    _ cause: any Error, mapping: ErrorMapping? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    let mapped = (mapping ?? .current).map(cause, at: site)
    if mapped.disposition == .cancelled { return .cancelled(cause, at: site) }
    var error = AppError(
      .networkFailed, details: mapped.details, metadata: mapped.metadata, cause: cause, at: site)
    if mapped.severity == .critical { error.fields.severity = .critical }
    let isNetwork = networkKinds.contains(mapped.kind)
    guard isNetwork || mapped.disposition != .unclassified else { return error }
    if isNetwork { error.fields.title = mapped.title }
    error.fields.message = mapped.message
    error.fields.suggestion = mapped.suggestion
    error.fields.actions = mapped.actions
    error.fields.disposition = mapped.disposition
    error.fields.severity = mapped.severity
    return error
  }

  private static let networkKinds: Set<ErrorKind> = [
    .offline, .network, .timeout, .portal, .insecure,
  ]

  /// Data that was read has an unexpected form.
  ///
  /// - Parameters:
  ///   - cause: What failed; kept as the cause, its path in the technical values.
  ///   - mapping: Says whether it is a cancellation; the default is ``ErrorMapping/current``.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: A permanent error of the kind `decoding`.
  public static func decoding(
    _ cause: any Error, mapping: ErrorMapping? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    if let cause = cause as? DecodingError {
      return BuiltInMapping.decodingFailure(cause, at: site)
    }
    return CancellationCheck.asks(cause, by: mapping)
      ? .cancelled(cause, at: site) : AppError(.decoding, cause: cause, at: site)
  }

  /// A service answered with a code that says that it failed.
  ///
  /// Codes from 400 to 599 are read as HTTP statuses, the kind is `server` all the same. What any
  /// other code means is not known: say so with ``with(disposition:)``, until then nothing is sent
  /// again.
  ///
  /// - Parameters:
  ///   - code: The code; read it with ``serverCode``.
  ///   - message: What the service says, for logs; read it with ``serverMessage``.
  ///   - isRepeatable: Whether sending the request twice does no harm. False, the default, where
  ///     nobody knows: a failed service leaves the outcome unknown then.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error of the kind `server`.
  public static func server(
    code: Int, message: String? = nil, isRepeatable: Bool = false,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    var values = ["server.code": String(code)]
    values["server.message"] = message
    return AppError(
      .answered(code, isRepeatable: isRepeatable),
      details: "code \(code)" + (message.map { ": \($0)" } ?? ""), metadata: values,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// Nobody can say what this is, but there is a sentence for the person.
  ///
  /// - Parameters:
  ///   - message: What it means for the person, in a sentence or two without codes.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An unclassified error of the kind `unknown`.
  public static func unknown(
    message: LocalizableText,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    var error = AppError(.unknown, at: site)
    if !message.isBlank { error.fields.message = message }
    return error
  }

  /// The person did not let the app read health data; needs the user.
  public static func healthDenied(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .healthDenied, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// The person did not let the app use the camera; needs the user.
  public static func cameraDenied(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .cameraDenied, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// There is no user where one is needed; needs the user.
  public static func userMissing(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .userMissing, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// A provider, such as one of sign-ins, is not one that the app works with.
  ///
  /// - Parameters:
  ///   - name: The provider's name, as people know it; read it with ``providerName``.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: A permanent error of the kind `unsupportedProvider`.
  public static func unsupportedProvider(
    _ name: String,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .unsupportedProvider(name), metadata: ["provider.name": name],
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// The code with which a service answered: its own, or the HTTP status; nil where there is none.
  public var serverCode: Int? {
    (metadata["server.code"] ?? metadata["http.status"]).flatMap { Int($0) }
  }

  /// What a service said about its failure, for logs; nil where it said nothing.
  public var serverMessage: String? { metadata["server.message"] }

  /// The provider that the app does not work with; nil for any other error.
  public var providerName: String? { metadata["provider.name"] }

  /// Whether doing the same thing again may succeed without a person doing anything else first.
  ///
  /// It is what a button to try again goes by: ``Disposition/isRecoverable``.
  public var isRecoverable: Bool { disposition.isRecoverable }
}

extension Disposition {
  /// Whether the same call may succeed later without a person doing anything else first.
  ///
  /// True for `transient`, `throttled` and `rejected`. False for an unknown outcome, where somebody
  /// has to look first, and for what nobody has classified.
  public var isRecoverable: Bool {
    switch self {
    case .transient, .throttled, .rejected: true
    case .permanent, .needsUser, .unknownOutcome, .cancelled, .unclassified: false
    }
  }
}
