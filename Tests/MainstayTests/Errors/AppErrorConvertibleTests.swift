// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Declares nothing but `appError`.
private enum UserError: AppErrorConvertible, CaseIterable {
  case notFound, nameTaken, tooYoung, blocked, offline, expired

  var appError: AppError {
    let texts: (ErrorCode, LocalizableText, LocalizableText) =
      switch self {
      case .notFound: ("user.not-found", "There is no such user.", "Check the name.")
      case .nameTaken: ("user.name-taken", "The name is taken.", "Choose another name.")
      case .tooYoung: ("user.too-young", "You are too young.", "Ask a parent.")
      case .blocked: ("user.blocked", "The user is blocked.", "Contact support.")
      case .offline: ("user.offline", "This needs a connection.", "Check Wi-Fi.")
      case .expired: ("user.expired", "The sign-in has expired.", "Sign in again.")
      }
    return AppError(
      code: texts.0, kind: .denied, disposition: .needsUser, title: "Not possible",
      message: texts.1, suggestion: texts.2, underlying: [URLFailure.lost])
  }
}

/// Has a description of its own and no suggestion.
private enum OrderError: AppErrorConvertible, CaseIterable {
  case empty, unpaid, sold, closed, lost

  var appError: AppError {
    AppError(
      code: "order.failed", kind: .denied, disposition: .permanent, title: "Order failed",
      message: "The order failed.")
  }

  var errorDescription: String? { "Own words for \(self)" }
}

/// Quotes what Foundation says about it, which Foundation asks it for.
private enum Quoting: AppErrorConvertible, CaseIterable {
  case description, reason, suggestion, options, bridged, number

  var appError: AppError {
    AppError(
      code: "a.quote", kind: .unknown, disposition: .permanent, title: "Quoted",
      message: LocalizableText(verbatim: quote))
  }

  private var quote: String {
    switch self {
    case .description: localizedDescription
    case .reason: failureReason ?? "No reason."
    case .suggestion: recoverySuggestion ?? "No suggestion."
    case .options: recoveryOptions.joined() + "."
    case .bridged: (self as NSError).localizedDescription
    case .number: "\(errorCode) \(errorUserInfo.count)."
    }
  }
}

/// Says to people what others say about it.
private enum Echo: LocalizedError, CaseIterable {
  case mapping, record, cancellation, group, result

  var errorDescription: String? {
    switch self {
    case .mapping: AppError.from(self).message.string()
    case .record: RecordedError(self).description
    case .cancellation: "\(isCancellation)"
    case .group: Fingerprint(of: self).description
    case .result: Result<Int, any Error>.failure(self).mapToAppError().error?.description
    }
  }
}

/// Everything that leads back to itself.
private enum Ouroboros: AppErrorConvertible, CaseIterable {
  case ownCause, unknownSelf, asksCancellation, convertsSelf, mutual

  var appError: AppError {
    switch self {
    case .ownCause: make(underlying: [self])
    case .mutual: make(underlying: [NSError(domain: "d", code: 1), Other()])
    case .unknownSelf: .unknown(self)
    case .asksCancellation: isCancellation ? .cancelled() : make(underlying: [])
    case .convertsSelf: .from(self)
    }
  }

  private func make(underlying: [any Error]) -> AppError {
    AppError(
      code: "a.snake", kind: .unknown, disposition: .permanent, title: "T", message: "M.",
      underlying: underlying)
  }

  struct Other: AppErrorConvertible {
    var appError: AppError {
      AppError(
        code: "a.other", kind: .unknown, disposition: .permanent, title: "T", message: "M.",
        underlying: [Ouroboros.mutual])
    }
  }
}

@Suite struct AppErrorConvertibleTests {
  @Test(.requirement("T22", "A5", "A41", "B20"), arguments: UserError.allCases)
  private func `the texts of a fresh enum survive bridging`(_ error: UserError) {
    let app = error.appError
    let erased: any Error = error
    let bridged = error as NSError
    #expect(erased.localizedDescription == app.message.string())
    #expect(bridged.localizedDescription == app.message.string())
    #expect(bridged.localizedFailureReason == "Not possible")
    #expect(bridged.localizedRecoverySuggestion == app.suggestion?.string())
    #expect(bridged.localizedRecoveryOptions == ["Try Again", "Dismiss"])
    #expect((erased as? any LocalizedError)?.recoverySuggestion == app.suggestion?.string())
    #expect((erased as? any RecoverableError)?.recoveryOptions == ["Try Again", "Dismiss"])
    #expect(bridged.userInfo["MainstayErrorCode"] as? String == app.code.rawValue)
    #expect(bridged.userInfo[NSUnderlyingErrorKey] as? NSError == URLFailure.lost)
  }

  @Test(.requirement("T22", "A6"), arguments: OrderError.allCases)
  private func `a description of its own wins and a missing suggestion is nil`(
    _ error: OrderError
  ) {
    let erased: any Error = error
    let bridged = error as NSError
    #expect(erased.localizedDescription == "Own words for \(error)")
    #expect(bridged.localizedDescription == "Own words for \(error)")
    #expect(bridged.localizedRecoverySuggestion == nil)
    #expect(bridged.userInfo[NSLocalizedRecoverySuggestionErrorKey] == nil)
  }

  @Test(.requirement("T22")) func `an app error keeps its texts as any error`() {
    let erased: any Error = AppError.offline()
    #expect(erased.localizedDescription.hasPrefix("This needs a connection"))
    #expect((erased as NSError).localizedFailureReason == "You’re offline")
  }

  @Test func `its number is that of the code and not of the case`() {
    #expect((UserError.notFound as NSError).code == ("user.not-found" as ErrorCode).number)
    #expect((UserError.notFound as NSError).domain.hasSuffix("UserError"))
    #expect(!(UserError.notFound as NSError).domain.contains("unknown context"))
  }

  @Test(.requirement("B9", "B10", "B17", "B18"))
  func `a module's own error is converted to what it says`() {
    let error = AppError.from(UserError.nameTaken)
    #expect(error == UserError.nameTaken.appError)
    #expect(error.cause(as: UserError.self) == .nameTaken)
    #expect(error.cause(as: NSError.self) == URLFailure.lost)
  }

  @Test(.ends(withinMinutes: 5), arguments: Quoting.allCases)
  private func `one that quotes itself comes to an end`(_ error: Quoting) throws {
    #expect(!error.appError.message.isBlank)
    #expect(AppError.from(error).code == "a.quote")
    #expect(error.errorDescription?.isEmpty == false)
    #expect(error.failureReason == "Quoted")
    #expect(error.errorCode == ("a.quote" as ErrorCode).number)
    #expect((error as NSError).localizedFailureReason == "Quoted")
    #expect(!error.localizedDescription.isEmpty)
    #expect(!error.isCancellation)
    #expect(Fingerprint.explain(error).tier == .code)
    #expect(AppError.from(error).message.string().utf8.count < 2_100)
  }

  @Test(.ends(withinMinutes: 5), arguments: Echo.allCases)
  private func `one that says what others say about it comes to an end`(_ error: Echo) {
    #expect(AppError.from(error).code == "unknown")
    #expect(!error.localizedDescription.isEmpty)
    #expect(!error.isCancellation)
    #expect(Fingerprint.explain(error).tier == .type)
    #expect(RecordedError(error).text.utf8.count < 20_000)
    let mapping = ErrorMapping.standard.adding(domain: "d") { _ in .offline() }
    #expect(AppError.from(error, mapping: mapping).code == "unknown")
    #expect(AppError.from(AppError.Data.saveFailed(error)).code == "data.save-failed")
  }

  @Test(arguments: Ouroboros.allCases)
  private func `one that leads back to itself comes to an end`(_ error: Ouroboros) {
    let mapped = AppError.from(error)
    #expect(!mapped.title.isBlank)
    #expect(mapped.description.utf8.count < 10_000)
    #expect(!(error as NSError).localizedDescription.isEmpty)
    #expect(!error.isCancellation)
    #expect(!RecordedError(error).type.isEmpty)
    #expect((try? JSONEncoder().encode(mapped)) != nil)
    #expect(mapped.cause(as: CancellationError.self) == nil)
  }
}
