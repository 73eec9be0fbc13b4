// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayUI
import TestSupport
import Testing

/// What a form makes of answers of HTTP.
@MainActor @Suite struct FormServiceTests {
  private let form = FormModel(SignUp.filled, fields: SignUp.fields)

  private func answer(_ status: Int, _ body: String) -> HTTPError {
    HTTPError(
      status: status, method: "POST", url: "https://api.example.com/accounts",
      headers: ["Content-Type": "application/problem+json"], body: Data(body.utf8))
  }

  @Test(.requirement("E20", "E21", "A34"))
  func `the fields of a problem document have its words`() async {
    let body = """
      {"title": "Not valid", "errors": [
        {"pointer": "#/email", "detail": "This address is taken."},
        {"pointer": "/password/1", "detail": "It was found in a list."},
        {"pointer": "/captcha", "detail": "The code is old."},
        {"pointer": "no pointer", "detail": "Nowhere."}
      ]}
      """
    await form.submit { [answer] _ in throw answer(422, body) }
    #expect(form.error(for: SignUp.email)?.message.description == "This address is taken.")
    #expect(form.error(for: SignUp.password)?.message.description == "It was found in a list.")
    #expect(form.submissionError?.message.description == "The code is old.\nNowhere.")
    #expect(form.submissionError?.httpStatus == 422 && form.focus == "/email")
    #expect(form.summary?.lines.count == 2)
  }

  @Test func `a mistake without a field is told beside those with one, and alone`() async {
    let body = """
      {"errors": [
        {"pointer": "#/email", "detail": "Taken."}, {"detail": "The coupon has expired."}
      ]}
      """
    await form.submit { [answer] _ in throw answer(422, body) }
    #expect(form.errors(for: SignUp.email).map(\.message.description) == ["Taken."])
    #expect(form.submissionError?.message.description == "The coupon has expired.")
    let alone = #"{"errors": [{"detail": "The coupon has expired."}]}"#
    await form.submit { [answer] _ in throw answer(422, alone) }
    #expect(form.submissionError?.message.description == "The coupon has expired.")
    #expect(form.summary == nil)
  }

  @Test(.requirement("E20")) func `an answer without fields is the submission's error`() async {
    await form.submit { [answer] _ in throw answer(422, #"{"title": "Not valid"}"#) }
    #expect(form.submissionError?.httpStatus == 422 && form.summary == nil && form.isValid)
    await form.submit { [answer] _ in throw answer(503, "{}") }
    #expect(form.submissionError?.httpStatus == 503)
  }

  @Test(.requirement("E20"))
  func `what a service said of values that were sent by somebody else stands under the fields`()
    async
  {
    form.show(answer(422, #"{"errors": [{"pointer": "/email", "detail": "Taken."}]}"#).appError)
    #expect(form.error(for: SignUp.email)?.message.description == "Taken.")
    #expect(form.focus == "/email" && form.failedSubmissions == 1 && form.canSubmit)
    form.show(.offline())
    #expect(form.error(for: SignUp.email) == nil && form.submissionError?.kind == .offline)
    form.show(.cancelled())
    #expect(form.submissionError?.kind == .offline, "a cancellation is never shown")
    await form.submit { _ in form.show(answer(500, "{}").appError) }
    #expect(form.submissionError == nil && form.hasSucceeded, "it was on its way")
  }

  @Test(.requirement("E20")) func `nothing of a long answer is lost`() async {
    let fields = (0..<100).map { #"{"pointer": "/rows/\#($0)", "detail": "Row \#($0)."}"# }
    let body = #"{"errors": [\#(fields.joined(separator: ","))]}"#
    await form.submit { [answer] _ in throw answer(422, body) }
    #expect(form.submissionError?.aboutFields.count == 100)
    let words = form.submissionError?.message.description.split(separator: "\n")
    #expect(words?.count == 100 && words?.last == "Row 99.")
  }

  @Test func `a server says with the same fields what is wrong, and a form reads it`() async throws
  {
    var values = SignUp.filled
    values.email = "ada"
    values.password = "short"
    let refusal = #expect(throws: AppError.self) { try SignUp.fields.check(values) }
    var problem = ProblemDetails(title: "Not valid", status: 422)
    problem.fieldErrors = (refusal?.aboutFields ?? []).compactMap { error in
      error.field.map { .init(pointer: $0, detail: error.message.description) }
    }
    let body = String(decoding: problem.encoded, as: UTF8.self)
    await form.submit { [answer] _ in throw answer(422, body) }
    #expect(
      form.summary?.lines.map(\.error.message.description) == [
        "This is not an email address.", "This is too short.", "The two entries differ.",
      ])
    #expect(form.submissionError == nil)
  }
}
