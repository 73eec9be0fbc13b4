// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI
import TestSupport
import Testing

private struct Box<Value: Sendable & Equatable>: Sendable {
  var value: Value
}

/// A mistake as an app's own type, which names itself as its cause.
private struct OwnMistake: AppErrorConvertible, Hashable {
  let field: JSONPointer?

  var appError: AppError {
    AppError(
      code: "shop.mistake", kind: .validation, disposition: .permanent, title: "Not in stock",
      message: "We have none left.", field: field, underlying: [self])
  }
}

/// The code of what a rule finds wrong with a value.
private func code<Value>(_ value: Value, _ rules: FormRule<Box<Value>, Value>...) -> String? {
  let field = FormField<Box<Value>, Value>("value", \.value, label: "Value", rules: rules)
  return field.error(in: Box(value: value))?.code.rawValue
}

@Suite struct FormRuleTests {
  @Test(
    .requirement("A34", "E27"),
    arguments: [
      "a@b.c", "ada.lovelace+x@example.com", "ü@exämple.org", "\"a@b\"@example.com",
      "a@[10.0.0.1]", "o'neill!#$%&*/=?^`{|}~@x-y.org",
    ])
  func `addresses of email pass`(_ address: String) {
    #expect(code(address, .email) == nil)
  }

  @Test(
    .requirement("A34", "E27"),
    arguments: [
      "ada", "ada@", "@b.c", "a@b", "a@.b", "a@b.", "a@b..c", "a b@c.d", "a@b.c ", "a@b@c.d",
      "a@b.c\n", "<a@b.c>", "a@b.c>", "a,b@c.d", "a@b_c.d", "mailto:a@b.c", "a@\u{200B}b.c", "a@[]",
      "@", "\"@b.c\"", "a\u{0}@b.c",
      String(repeating: "a", count: 65) + "@b.c", "a@" + String(repeating: "b", count: 64) + ".c",
      "a@" + String(repeating: "b.", count: 130) + "c",
    ])
  func `what is no address of email does not pass`(_ address: String) {
    #expect(code(address, .email) == "form.email")
  }

  @Test(.requirement("A34")) func `blank is empty`() {
    for blank in ["", " ", "\n\t", "\u{200B}\u{FEFF}", "\u{3000}"] {
      #expect(code(blank, .required) == "form.empty")
      #expect(code(blank, .email, .password, .wholeNumber(), .length(3...)) == nil)
    }
    #expect(code("a", .required) == nil && code("👩‍👩‍👧‍👦", .required) == nil)
    #expect(code([Int](), .required) == "form.empty" && code([1], .required) == nil)
    #expect(code(Int?.none, .required) == "form.empty" && code(Int?.some(0), .required) == nil)
    #expect(code(String?.some(" "), .required) == "form.empty")
    #expect(code(0, .required) == nil)
    #expect(code(false, .accepted) == "form.not-accepted" && code(true, .accepted) == nil)
    #expect(code(false, .required) == "form.not-accepted")
  }

  @Test(.requirement("E27")) func `length counts what a person counts`() {
    #expect(code("1234567", .password) == "form.too-short" && code("12345678", .password) == nil)
    let family = "👩‍👩‍👧‍👦"  // one character of 25 bytes
    #expect(code(family, .length(2...)) == "form.too-short")
    #expect(code(family + family, .length(2...2)) == nil)
    #expect(code("e\u{301}e\u{301}e\u{301}", .length(...2)) == "form.too-long")
    #expect(code("e\u{301}e\u{301}e\u{301}", .length(3...3)) == nil)
    #expect(code("abc", .length(..<3)) == "form.too-long" && code("ab", .length(..<3)) == nil)
    #expect(code("ab", .length(...1)) == "form.one-character")
    #expect(code("abc", .length(...Int.max)) == nil && code("abc", .length(3...Int.max)) == nil)
  }

  @Test func `a character that is made to do harm is too long, whatever it looks like`() {
    let tower = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(code(tower, .length(...3)) == "form.too-long")
    #expect(code(tower, .length(2...)) == "form.too-short")
    #expect(code(tower, .email) == "form.email" && code(tower, .wholeNumber()) != nil)
    #expect(code(tower, .pattern(".*")) == nil)
    let huge = String(repeating: "x", count: 2_000_000)
    #expect(code(huge, .length(...200)) == "form.too-long" && code(huge, .length(8...)) == nil)
    #expect(code(huge, .pattern("x*")) == "form.pattern")
    #expect(code(huge, .email) == "form.email" && code(huge, .wholeNumber()) != nil)
  }

  @Test(.requirement("A34")) func `numbers are in their range`() {
    #expect(code(12, .minimumAge(13)) == "form.too-young" && code(13, .minimumAge(13)) == nil)
    #expect(
      code(0, .range(1...9)) == "form.too-small" && code(10, .range(1...9)) == "form.too-large")
    #expect(code(UInt8(9), .range(1...9)) == nil && code(Int.max, .range(1...)) == nil)
    #expect(code(UInt64.max, .range(1...)) == nil, "more than fits into Int")
    #expect(code(0.5, .range(1...2)) == "form.too-small" && code(2.5, .range(1...2)) != nil)
    #expect(code(Double.nan, .range(1...2)) != nil && code(1.5, .range(1...2)) == nil)
    let day = Date(timeIntervalSince1970: 0)
    #expect(code(day, .range(day...day)) == nil)
    #expect(code(day + 1, .range(day...day)) == "form.too-late")
    #expect(code(day - 1, .range(day...day)) == "form.too-early")
    #expect(code([1, 2], .count(3...)) == "form.too-few" && code([1], .count(...0)) != nil)
    #expect(code([1, 2], .count(1...2)) == nil)
    #expect(code(Int?.some(12), .ifPresent(.minimumAge(13))) == "form.too-young")
    #expect(code(Int?.none, .ifPresent(.minimumAge(13))) == nil)
    #expect(code(String?.some(" "), .ifPresent(.required)) == "form.empty")
  }

  @Test(.requirement("A34")) func `ranges of fractions and of dates may be open`() {
    #expect(code(0.4, .range(0.5...)) == "form.too-small" && code(0.5, .range(0.5...)) == nil)
    #expect(code(1.1, .range(...1)) == "form.too-large" && code(1, .range(...1.0)) == nil)
    #expect(code(1.0, .range(0..<1)) == "form.not-below" && code(0.9, .range(..<1)) == nil)
    #expect(code(-0.1, .range(0..<1)) == "form.too-small" && code(9, .range(..<1.0)) != nil)
    for rule: FormRule<Box<Double>, Double> in [.range(0...), .range(...0), .range(..<0)] {
      #expect(code(Double.nan, rule) != nil, "it is no number")
    }
    let day = Date(timeIntervalSince1970: 0)
    #expect(code(day + 1, .range(...day)) == "form.too-late" && code(day, .range(...day)) == nil)
    #expect(code(day - 1, .range(day...)) == "form.too-early" && code(day, .range(day...)) == nil)
    #expect(code(day, .range(..<day)) == "form.not-before" && code(day - 1, .range(..<day)) == nil)
    #expect(code(day - 1, .range(day..<(day + 1))) == "form.too-early")
    let highest = FormField<Box<Double>, Double>(
      "value", \.value, label: "Value", rules: [.range(..<1)])
    #expect(highest.error(in: Box(value: 1))?.suggestion?.description == "Enter less than 1.")
  }

  @Test(
    .requirement("A34"),
    arguments: [
      ("2008-05-10T15:00:00Z", "2021-05-10T08:00:00Z", true),
      ("2008-05-10T15:00:00Z", "2021-05-09T23:59:59Z", false),
      ("2008-02-29T12:00:00Z", "2021-02-28T23:59:59Z", false),
      ("2008-02-29T12:00:00Z", "2021-03-01T00:00:00Z", true),
      ("2030-01-01T00:00:00Z", "2021-03-01T00:00:00Z", false),
    ])
  func `an age is read from a date of birth`(_ birth: String, _ now: String, _ isOld: Bool) throws {
    let birth = try Date(birth, strategy: .iso8601)
    let now = try Date(now, strategy: .iso8601)
    let rule = FormRule<Box<Date>, Date>.minimumAge(13, in: .gmt, date: { now })
    #expect(code(birth, rule) == (isOld ? nil : "form.too-young"))
    #expect(
      code(birth, .minimumAge(0, in: .gmt, date: { now })) == (birth > now ? "form.too-young" : nil)
    )
  }

  @Test func `the days of an age begin where its time zone says`() throws {
    let birth = try Date("1957-01-01T05:00:00Z", strategy: .iso8601)
    let now = try Date("1970-01-01T02:00:00Z", strategy: .iso8601)  // still 1969 in the west
    let west = try #require(TimeZone(secondsFromGMT: -4 * 3_600))
    #expect(code(birth, .minimumAge(13, in: .gmt, date: { now })) == nil)
    #expect(code(birth, .minimumAge(13, in: west, date: { now })) == "form.too-young")
    #expect(code(Date.distantPast, .minimumAge(13, in: .gmt, date: { now })) == nil)
    for seconds in [1e300, .infinity, .nan] {
      let never = Date(timeIntervalSince1970: seconds)
      #expect(code(never, .minimumAge(13, in: .gmt, date: { now })) == "form.too-young")
      #expect(code(birth, .minimumAge(13, in: .gmt, date: { never })) == nil)
    }
  }

  @Test func `a number is read from text, in the digits of any script`() {
    for text in ["13", " 13 ", "+13", "013", "١٣", "१३"] {
      #expect(code(text, .wholeNumber(13...13)) == nil, "\(text)")
    }
    #expect(
      code("-5", .wholeNumber((-5)...)) == nil && code("−5", .wholeNumber((-5)...(-5))) == nil)
    #expect(code("12", .wholeNumber(13...)) == "form.too-small")
    #expect(code("14", .wholeNumber(...13)) == "form.too-large")
    #expect(code("\(Int.min)", .wholeNumber()) == nil && code("\(Int.max)", .wholeNumber()) == nil)
    for text in [
      "a", "1.5", "1,000", "-", "1 3", "七", "½", "9223372036854775808", "1e3", "0x1F",
      "1\u{301}",
    ] {
      #expect(code(text, .wholeNumber()) == "form.whole-number", "\(text)")
    }
  }

  @Test func `the first rule that fails is the error`() {
    #expect(code("a", .length(3...), .email) == "form.too-short")
    #expect(code("abc", .length(3...), .email) == "form.email")
    #expect(code("", .email, .required) == "form.empty")
  }

  @Test func `other words replace those of a rule`() {
    let field = FormField<Box<String>, String>(
      "value", \.value, label: "Value",
      rules: [.email.saying("Nobody lives there.", suggestion: "Ask them.")])
    let error = field.error(in: Box(value: "x"))
    #expect(error?.message == "Nobody lives there." && error?.suggestion == "Ask them.")
    #expect(error?.code == "form.email" && error?.field == "/value" && error?.kind == .validation)
    let required = FormField<Box<String>, String>(
      "value", \.value, label: "Value", rules: [.required.saying("Who are you?")])
    #expect(required.error(in: Box(value: ""))?.message == "Who are you?")
    #expect(required.error(in: Box(value: "x")) == nil)
  }

  @Test func `a rule that throws is a mistake, in words of its own or in some that fit anything`() {
    struct Broken: Error {}
    func thrown(_ error: any Error) -> AppError? {
      FormField<Box<String>, String>(
        "value", \.value, label: "Value", rules: [.check("No.") { _, _ in throw error }]
      ).error(in: Box(value: "x"))
    }
    #expect(thrown(AppError.validation("It rhymes."))?.message == "It rhymes.")
    #expect(thrown(AppError.validation("It rhymes.", field: "/other"))?.field == "/value")
    #expect(thrown(Broken())?.code == "form.unacceptable")
    #expect(thrown(AppError.offline())?.code == "form.unacceptable")
    #expect(thrown(CancellationError()) == nil, "nobody judged it")
  }

  @Test(.requirement("A34")) func `a rule that depends on others is asked about an empty field`() {
    struct Contact: Sendable {
      var email = ""
      var phone = ""
    }
    let phone = FormField<Contact, String>("phone", \.phone, label: "Phone")
    let email = FormField<Contact, String>(
      "email", \.email, label: "Email",
      rules: [
        .check("There is no way to reach you.", dependingOn: [phone.pointer]) { email, values in
          !email.isEmpty || !values.phone.isEmpty
        }, .email,
      ])
    #expect(email.error(in: Contact())?.message == "There is no way to reach you.")
    #expect(email.error(in: Contact(phone: "1")) == nil)
    #expect(email.error(in: Contact(email: "a@b.c")) == nil)
  }

  @Test(.requirement("A34", "B24", "E32"))
  func `values are checked without a form, and all mistakes are named`() throws {
    #expect(throws: Never.self) { try SignUp.fields.check(.filled) }
    var values = SignUp.filled
    values.age = nil
    let one = #expect(throws: AppError.self) { try SignUp.fields.check(values) }
    #expect(one?.field == "/age" && one?.kind == .validation && one?.code == "form.empty")
    #expect(one?.aboutFields.map(\.field) == ["/age"])
    values.email = "ada"
    values.confirmation = "other"
    let all = #expect(throws: AppError.self) { try SignUp.fields.check(values) }
    #expect(all?.field == "/email")
    #expect(all?.aboutFields.map(\.field) == ["/email", "/age", "/confirmation"])
    #expect(
      all?.aboutFields.map(\.code.rawValue) == ["form.email", "form.empty", "form.different"])
  }

  @Test func `fields are listed, chosen and repeated`() {
    let (isAdult, names) = (true, ["a", "b"])
    let fields = FormFields<SignUp> {
      SignUp.name
      if isAdult { SignUp.age }
      if isAdult { SignUp.email } else { SignUp.password }
      for name in names {
        FormField<SignUp, String>(name, \.name, label: "\(name)")
      }
    }
    #expect(fields.pointers == ["/name", "/age", "/email", "/a", "/b"])
  }

  @Test func `causes at any depth are about fields, and a cancellation is not`() {
    let inner = AppError.validation("It is taken.", field: "/email")
    func wrapped(_ causes: [any Error]) -> AppError {
      AppError(
        code: "shop.failed", kind: .server, disposition: .permanent, title: "It did not work",
        message: "The shop said no.", underlying: causes)
    }
    #expect(wrapped([wrapped([inner]), CancellationError()]).aboutFields == [inner])
    #expect(wrapped([]).aboutFields.isEmpty)
    #expect(inner.aboutFields == [inner])
    #expect(AppError.cancelled().about(field: "/email").aboutFields.isEmpty)
    let own = OwnMistake(field: "/email")
    #expect(
      wrapped([own, OwnMistake(field: "/name")]).aboutFields.map(\.field) == ["/email", "/name"])
    let mapped = AppError.from(own)
    #expect(mapped.aboutFields.map(\.id) == [mapped.id], "itself, and not its original")
    let mapping = ErrorMapping.standard.adding(OwnMistake.self) { original in
      AppError(
        code: "shop.mistake", kind: .validation, disposition: .permanent, title: "Sold out",
        message: "Come back tomorrow.", field: original.field, underlying: [original])
    }
    let reworded = mapping.map(own)
    #expect(reworded.aboutFields.map(\.id) == [reworded.id], "in the words of the mapping")
    #expect(AppError.from(OwnMistake(field: nil)).aboutFields.isEmpty)
    let many = (0..<2_000).map { AppError.validation("No.", field: JSONPointer(tokens: ["\($0)"])) }
    #expect(wrapped(many).aboutFields.count == 1_000)
    let deep = (0..<11).reduce(inner) { error, _ in wrapped([error]) }
    #expect(deep.aboutFields.isEmpty, "ten levels are looked through")
  }
}
