// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error of a module that knows how a person should read it.
///
/// One property is enough; the texts then also appear wherever Foundation looks for them
/// (`localizedDescription`, `NSError`, recovery options), on Linux as on Apple's systems.
///
/// ```swift
/// enum PaymentError: AppErrorConvertible {
///   case declined(reason: String)
///
///   var appError: AppError {
///     switch self {
///     case .declined(let reason):
///       AppError(
///         code: "payments.declined", kind: .denied, disposition: .needsUser,
///         title: "Card declined", message: "The bank said: \(reason).",
///         suggestion: "Use another card.")
///     }
///   }
/// }
/// ```
///
/// Texts that the type declares itself, such as its own `errorDescription`, win over these.
public protocol AppErrorConvertible: LocalizedError, CustomNSError, RecoverableError, Sendable {
  /// The error as people and policies see it.
  var appError: AppError { get }
}

extension AppErrorConvertible {
  /// The `appError`; nil where that is what asks, as one that quotes its own description does.
  private var told: AppError? { (self as? AppError) ?? ConversionDepth.telling { appError } }

  /// The message.
  public var errorDescription: String? { told?.message.string() }
  /// The title.
  public var failureReason: String? { told?.title.string() }
  /// The suggestion, where there is one.
  public var recoverySuggestion: String? { told?.suggestion?.string() }
  /// The address of the help page, where there is one.
  public var helpAnchor: String? { told?.help?.absoluteString }

  /// The type with its module; stable for as long as the type is not renamed.
  public static var errorDomain: String { QualifiedTypeName.of(Self.self) }

  /// The number of the error's code, the same in every process and release.
  public var errorCode: Int { (told?.code ?? BuiltInError.unknown.code).number }

  /// The texts again, never blank: a type that is both `LocalizedError` and `CustomNSError` loses
  /// them on Linux where they do not stand here (T22).
  public var errorUserInfo: [String: Any] {
    // Counted as a whole: each of the texts asks for the `appError`, which may ask for all of them.
    guard let error = told, var info = ConversionDepth.telling({ texts(of: error) }) else {
      return [:]
    }
    // Linux asks the cause for its own user info at once, so a cause may lead back to here.
    info[NSUnderlyingErrorKey] = error.underlying.first.flatMap { cause in
      ConversionDepth.bridging { cause as NSError }
    }
    #if !canImport(ObjectiveC)
      info[AppError.userInfoKey] = (self as? AppError)
    #endif
    return info
  }

  private func texts(of error: AppError) -> [String: Any] {
    func usable(_ text: String?) -> String? {
      PlainText.usable(text, domain: Self.errorDomain)
    }
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: usable(errorDescription) ?? error.message.string(),
      NSLocalizedFailureReasonErrorKey: usable(failureReason) ?? error.title.string(),
      "MainstayErrorCode": error.code.rawValue,
    ]
    info[NSLocalizedRecoverySuggestionErrorKey] = usable(recoverySuggestion)
    info[NSHelpAnchorErrorKey] = helpAnchor
    if !recoveryOptions.isEmpty { info[NSLocalizedRecoveryOptionsErrorKey] = recoveryOptions }
    return info
  }

  /// The words on the buttons, in the order of ``AppError/actions``.
  public var recoveryOptions: [String] { told?.actions.map { $0.title.string() } ?? [] }

  /// Does nothing: an action is a value, and whoever presents it performs it.
  ///
  /// - Returns: Always false, "not recovered".
  public func attemptRecovery(optionIndex recoveryOptionIndex: Int) -> Bool { false }

  /// Says "not recovered" at once; it stands here so that a conforming type need not import
  /// Foundation.
  public func attemptRecovery(
    optionIndex recoveryOptionIndex: Int, resultHandler handler: @escaping (Bool) -> Void
  ) {
    handler(false)
  }
}

extension AppError: AppErrorConvertible {
  /// The error itself.
  public var appError: AppError { self }

  /// `Mainstay.AppError`.
  public static var errorDomain: String { "Mainstay.AppError" }

  fileprivate static let userInfoKey = "MainstayAppError"

  /// The error that was made into an `NSError` and is still inside; nil for any other.
  ///
  /// Apple's systems unpack it themselves. Linux copies the texts and forgets the rest.
  init?(bridged error: any Error) {
    #if canImport(ObjectiveC)
      return nil
    #else
      guard type(of: error) is NSError.Type,
        let inside = (error as NSError).userInfo[Self.userInfoKey] as? AppError
      else { return nil }
      self = inside
    #endif
  }
}
