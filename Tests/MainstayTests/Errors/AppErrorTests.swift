// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private struct Cause: Error {}

private func declined(_ reason: String, line: Int = #line) -> AppError {
  AppError(
    code: "payments.declined", kind: .denied, disposition: .needsUser, title: "Card declined",
    message: "The bank said: \(reason).", suggestion: "Use another card.", line: line)
}

@Suite struct AppErrorTests {
  @Test func `is one word wide`() {
    #expect(MemoryLayout<AppError>.size == MemoryLayout<UnsafeRawPointer>.size)
    #expect(MemoryLayout<AppError?>.size == MemoryLayout<UnsafeRawPointer>.size)
  }

  @Test(.requirement("B29", "T12")) func `two that say the same thing are equal`() {
    #expect(declined("no money") == declined("no money"))
    #expect(declined("no money").id != declined("no money").id)
    #expect(declined("no money").adding(metadata: ["a": "b"]) == declined("no money"))
  }

  @Test(.requirement("B29")) func `equality sees code, kind, disposition, field and arguments`() {
    let error = AppError.validation("A", field: "/a")
    #expect(declined("no money") != declined("stolen"))
    #expect(error != error.about(field: "/b"))
    #expect(error != error.with(disposition: .needsUser))
    #expect(error != AppError.validation("A", field: "/a", code: "other"))
    #expect(AppError.offline() != AppError.timeout())
    #expect(AppError.unknown(TextError("a")) != AppError.unknown(TextError("b")))
  }

  @Test func `equal errors read the same`() {
    func error(
      _ title: LocalizableText, _ message: LocalizableText, _ suggestion: LocalizableText? = nil
    ) -> AppError {
      AppError(
        code: "a", kind: .validation, disposition: .permanent, title: title, message: message,
        suggestion: suggestion)
    }
    #expect(error("T", "Too long.") == error("T", "Too long."))
    #expect(error("T", "Too long.") != error("T", "You are too young."))
    #expect(error("T", "M.") != error("U", "M."))
    #expect(error("T", "M.") != error("T", "M.", "Enter less."))
    #expect(error("T", "M.", "Enter more.") != error("T", "M.", "Enter less."))
    // The same English, of which a catalogue has another wording.
    let keyed = LocalizableText(key: "shop.message", english: "M.")
    #expect(error("T", "M.") != error("T", keyed))
    #expect(AppError.validation("Too long.") != .validation("The name has a space."))
    let caused = AppError.timeout(cause: Cause())
    #expect(caused == AppError.timeout() && caused.id != AppError.timeout().id)
  }

  @Test(.requirement("B29")) func `a test can state exactly which error is thrown`() {
    #expect(throws: declined("stolen")) { throw declined("stolen") }
  }

  @Test func `a copy does not see the changes of another`() {
    let error = declined("x")
    let other = error.adding(metadata: ["a": "b"])
    #expect(error.metadata.isEmpty)
    #expect(other.metadata == ["a": "b"])
    #expect(other.id == error.id)
  }

  @Test(.requirement("A32", "B1"), arguments: ["", "  ", "\u{200B}\n"])
  func `blank texts are replaced and a blank suggestion is none`(_ blank: String) {
    let error = AppError(
      code: "a", kind: .unknown, disposition: .permanent, title: "\(blank)", message: "\(blank)",
      suggestion: "\(blank)",
      actions: [.dismiss, RecoveryAction(id: "x", title: "\(blank)")])
    #expect(error.title.string() == "Something unexpected happened")
    #expect(error.message.string() == "The app met a problem that it does not recognize.")
    #expect(error.suggestion == nil)
    #expect(error.actions == [.dismiss])
  }

  @Test func `knows the place where it was made and no absolute path`() {
    let error = declined("x", line: 7)
    #expect(error.site.fileID == "MainstayTests/AppErrorTests.swift")
    #expect(error.site.line == 7)
    let paths = ["/Users/anna/Shop/Cart.swift", #"C:\Users\anna\Cart.swift"#, "C:/anna/Cart.swift"]
    for path in paths {
      #expect(SourceSite(fileID: path).fileID == "Cart.swift")
    }
    #expect(SourceSite(fileID: "").fileID.isEmpty)
  }

  @Test(.requirement("B19")) func `context is added from the inside out`() {
    let site = SourceSite()
    let error = declined("x")
      .adding(context: AppError.Frame("Charge card", metadata: ["order": "7"], site: site))
      .adding(context: AppError.Frame("Check out", site: site))
    #expect(error.context.map(\.operation) == ["Charge card", "Check out"])
    #expect(error.context.first?.metadata == ["order": "7"])
  }

  @Test func `severity and actions follow the disposition unless they were chosen`() {
    let usual = AppError.offline()
    #expect(usual.severity == .warning)
    #expect(usual.with(disposition: .permanent).severity == .error)
    #expect(usual.with(disposition: .permanent).actions == [.dismiss])
    let chosen = AppError(
      code: "a", kind: .server, disposition: .transient(), severity: .critical, title: "T",
      message: "M.", actions: [.help])
    #expect(chosen.with(disposition: .permanent).severity == .critical)
    #expect(chosen.with(disposition: .permanent).actions == [.help])
  }

  @Test func `once the outcome is unknown nothing suggests to try again`() {
    let portal = AppError.portal().with(disposition: .unknownOutcome)
    let offline = AppError.offline().with(disposition: .unknownOutcome)
    for error in [portal, offline] {
      #expect(!error.actions.contains(.retry))
      #expect(error.actions.contains(.checkOutcome))
      #expect(error.suggestion?.string().hasPrefix("Check whether it went through") == true)
    }
  }

  @Test(.requirement("T10")) func `retry is offered wherever it can succeed`() {
    let offering: [Disposition] = [
      .transient(), .throttled(), .rejected(), .needsUser, .unclassified,
    ]
    for disposition in offering { #expect(plain(disposition).actions.contains(.retry)) }
    let withholding: [Disposition] = [.permanent, .cancelled, .unknownOutcome]
    for disposition in withholding { #expect(!plain(disposition).actions.contains(.retry)) }
    #expect(AppError.unauthorized().actions == [.signIn, .retry, .dismiss])
  }

  private func plain(_ disposition: Disposition) -> AppError {
    AppError(code: "a", kind: .unknown, disposition: disposition, title: "T", message: "M.")
  }

  @Test func `one line for logs has nobody's data, also not in the place of a field`() {
    let field = JSONPointer(tokens: ["users", "ada@example.com", "name"])
    let line = AppError.validation("It is empty.", field: field).description
    #expect(line.hasSuffix("field /users/<email>/name"))
    let plain = AppError.validation("It is empty.", field: "/items/0/name").description
    #expect(plain.hasSuffix("field /items/0/name"))
  }

  @Test func `a validation failure names its field`() {
    let error = AppError.validation(
      "The age is \(12), at least \(13) is needed.", suggestion: "Ask a parent.", field: "/age")
    #expect(error.field == "/age")
    #expect(error.kind == .validation)
    #expect(error.disposition == .permanent)
    #expect(error.message.string() == "The age is 12, at least 13 is needed.")
  }

  @Test(.requirement("B2", "B26")) func `finds a cause through the whole chain`() {
    let inner = AppError.unknown(Cause())
    let outer = AppError.unknown(
      NSError(domain: "d", code: 1, userInfo: [NSUnderlyingErrorKey: inner]))
    #expect(outer.cause(as: Cause.self) != nil)
    #expect(outer.cause(as: AppError.self) == inner)
    #expect(outer.cause(as: CancellationError.self) == nil)
  }

  @Test(.requirement("T21")) func `its line for logs has codes and no text for people`() {
    let error = AppError.offline(cause: URLFailure.lost).about(field: "/a")
    #expect(error.description.hasPrefix("network.offline (offline, transient) at MainstayTests/"))
    #expect(error.description.contains("← "))
    #expect(!error.description.contains("You’re offline"))
  }

  @Test func `its line for logs is redacted`() {
    let error = AppError(
      code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.",
      details: "token=s3cret for anna@example.org")
    #expect(!error.description.contains("s3cret"))
    #expect(!error.description.contains("anna@"))
  }
}

/// An error with the text that it is made with.
struct TextError: LocalizedError, Hashable {
  let errorDescription: String?
  init(_ text: String?) { errorDescription = text }
}

enum URLFailure {
  static let lost = NSError(domain: "NSURLErrorDomain", code: -1005)
}
