// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI
import TestSupport
import Testing

@Suite struct ErrorPresentationTests {
  private func presentation(
    _ kind: ErrorKind, _ disposition: Disposition, help: URL? = nil
  ) -> ErrorPresentation? {
    ErrorPresentation(
      AppError(
        code: "a", kind: kind, disposition: disposition, title: "T happened", message: "M.",
        help: help))
  }

  @Test(.requirement("A33")) func `picture and colour go by what happened`() {
    let cases: [(ErrorKind, Disposition, String, ErrorPresentation.Tint)] = [
      (.offline, .transient(), "wifi.slash", .orange),
      (.unauthorized, .needsUser, "exclamationmark.triangle", .yellow),
      (.validation, .permanent, "exclamationmark.triangle", .yellow),
      (.server, .transient(), "arrow.clockwise.circle", .blue),
      (.server, .permanent, "exclamationmark.circle", .red),
      (.unknown, .unclassified, "exclamationmark.circle", .red),
    ]
    for (kind, disposition, icon, tint) in cases {
      let look = presentation(kind, disposition)
      #expect(look?.icon == icon && look?.tint == tint, "\(kind) \(disposition)")
    }
  }

  @Test(.requirement("C12", "A31")) func `Help stands where there is a page, Dismiss always`()
    throws
  {
    #expect(presentation(.server, .permanent)?.actions.map(\.id) == ["dismiss"])
    let help = try #require(URL(string: "https://example.com/help"))
    #expect(
      presentation(.server, .permanent, help: help)?.actions.map(\.id) == ["dismiss", "help"])
  }

  @Test(.requirement("A32", "E11")) func `an error without texts gets some`() throws {
    struct Bare: Error {}
    let words = try #require(ErrorPresentation(AppError.from(Bare())))
    #expect(!words.title.isEmpty && !words.message.isEmpty)
    #expect(!words.message.contains("Bare") && !words.message.contains("error 1"))
  }

  @Test func `a screen can count down to when another try makes sense`() {
    let time = Date(timeIntervalSince1970: 946_684_800)
    func moment(_ disposition: Disposition) -> Date? {
      let error = AppError(
        code: "a", kind: .server, disposition: disposition, title: "T", message: "M.", time: time)
      return ErrorPresentation(error)?.retryAt
    }
    #expect(moment(.transient(retryAfter: .seconds(6))) == time.addingTimeInterval(6))
    #expect(moment(.rejected(retryAfter: .milliseconds(500))) == time.addingTimeInterval(0.5))
    #expect(moment(.transient(retryAfter: .zero)) == nil && moment(.transient()) == nil)
    #expect(moment(.permanent) == nil)
  }

  @Test func `a screen reader hears sentences`() {
    let error = AppError(
      code: "a", kind: .server, disposition: .permanent, title: "Not saved",
      message: "The list is full.", suggestion: "Remove something")
    #expect(
      ErrorPresentation(error)?.accessibilityLabel
        == "Not saved. The list is full. Remove something.")
  }
}
