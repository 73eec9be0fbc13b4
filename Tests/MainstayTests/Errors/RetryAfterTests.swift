// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("P24")) struct RetryAfterTests {
  /// 6 November 1994, 08:49:37, the example of the RFC.
  static let example = Date(timeIntervalSince1970: 784_111_777)

  static func wait(_ header: String, date: String? = nil, now: Date = example) -> Duration? {
    AppError.retryAfter(header: header, date: date, now: now)
  }

  @Test(arguments: [
    ("0", Duration.zero), ("120", .seconds(120)), (" 7 ", .seconds(7)), ("007", .seconds(7)),
    ("31536000", .seconds(31_536_000)), ("31536001", .seconds(31_536_000)),
    ("99999999999999999999999999", .seconds(31_536_000)),
  ])
  func `seconds are read and cut to a year`(header: String, wait: Duration) {
    #expect(Self.wait(header) == wait)
  }

  @Test(arguments: [
    "", " ", "-1", "+1", "1.5", "1s", "1 2", "0x10", "1e3", "١٢", "soon", "NaN", "120, 120",
  ])
  func `garbage is no wait`(header: String) {
    #expect(Self.wait(header) == nil)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994",
    " Sun, 06 Nov 1994 08:50:37 GMT ",
  ])
  func `all three forms of a date are read`(header: String) {
    #expect(Self.wait(header) == .seconds(60))
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:50:37", "Sun, 06 Nov 1994 08:50:37 UTC", "Sun, 32 Nov 1994 08:50:37 GMT",
    "Sun, 31 Nov 1994 08:50:37 GMT", "Tue, 29 Feb 1994 08:50:37 GMT",
    "Sun, 06 nov 1994 08:50:37 GMT", "Sun, 6 Nov 1994 08:50:37 GMT",
    "Sun, 06 Nov 94 08:50:37 GMT", "Sun, 06 Nov 1994 24:50:37 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:50:61 GMT",
    "Sun, 06 Nov 1994 8:50:37 GMT", "06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-1994 08:50:37 GMT",
    "1994-11-06T08:50:37Z", "Sun Nov  6 08:50:37 1994 GMT", "So, 06 Nov 1994 08:50:37 GMT",
  ])
  func `what is no date is no wait`(header: String) {
    #expect(Self.wait(header) == nil)
  }

  @Test func `a moment that has passed is no wait`() {
    #expect(Self.wait("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
    #expect(Self.wait("Thu, 01 Jan 1970 00:00:00 GMT") == .zero)
    #expect(Self.wait("Sat, 01 Jan 0000 00:00:00 GMT") == .zero)
  }

  @Test func `a moment far away is cut to a year`() {
    #expect(Self.wait("Fri, 31 Dec 9999 23:59:59 GMT") == .seconds(31_536_000))
  }

  @Test func `the seconds of a date have 64 bits, which watches need from 2038`() throws {
    let date = try #require(HTTPDate("Fri, 31 Dec 9999 23:59:59 GMT", now: 1_800_000_000))
    let seconds: Int64 = date.seconds
    #expect(seconds == 253_402_300_799)
  }

  @Test func `the service's own clock counts`() {
    let header = "Sun, 06 Nov 1994 08:50:37 GMT"
    #expect(Self.wait(header, date: "Sun, 06 Nov 1994 08:50:07 GMT") == .seconds(30))
    #expect(Self.wait(header, date: "Sun, 06 Nov 1994 08:51:07 GMT") == .zero)
    #expect(Self.wait(header, date: "yesterday") == .seconds(60), "then the device's")
  }

  @Test func `a year of two digits is never more than 50 years away`() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)  // January 2027
    #expect(Self.wait("Friday, 15-Jan-27 08:00:01 GMT", now: now) == .seconds(1))
    #expect(Self.wait("Saturday, 15-Jan-77 08:00:00 GMT", now: now) == .seconds(31_536_000))
    #expect(Self.wait("Sunday, 15-Jan-78 08:00:00 GMT", now: now) == .zero, "that was 1978")
  }

  @Test func `leap days and leap seconds are counted`() {
    let now = Date(timeIntervalSince1970: 951_782_400)  // 29 February 2000
    #expect(Self.wait("Wed, 01 Mar 2000 00:00:00 GMT", now: now) == .seconds(86_400))
    #expect(Self.wait("Tue, 29 Feb 2000 00:00:00 GMT", now: now) == .zero)
    #expect(Self.wait("Tue, 29 Feb 2000 00:00:60 GMT", now: now) == .seconds(60))
    #expect(Self.wait("Mon, 29 Feb 2100 00:00:00 GMT", now: now) == nil)
  }

  @Test func `every day of 400 years is where Foundation's calendar has it`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    var day = 0
    while day < 146_097 {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let (year, month, number) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      let text = "Mon, \(number < 10 ? "0" : "")\(number) \(months[month - 1]) \(year) 00:00:09 GMT"
      #expect(Self.wait(text, now: date) == .seconds(9))
      day += RandomDose.isTorture ? 1 : 97
    }
  }

  @Test(.requirement("T8")) func `no text traps, and no wait is negative or endless`() {
    let pieces = [
      "Sun", "Sunday", ",", " ", "  ", "-", "06", "6", "Nov", "1994", "94", ":", "08", "49", "GMT",
      "9", "0", "99999999999999999999", "\t", "é", "\u{0}", "+", ".", "e", "🙂", "Feb", "29",
      "Sun, 06 Nov 1994 ", "08:49:37", " GMT", "\r\n",
    ]
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      let header = generator.text(of: pieces, pieces: 14)
      let date = Bool.random(using: &generator) ? generator.text(of: pieces, pieces: 9) : nil
      let times = [0, 1.8e9, -1e18, 1e300, .infinity, .nan, 784_111_777]
      let now = Date(timeIntervalSince1970: times.randomElement(using: &generator) ?? 0)
      guard let wait = Self.wait(header, date: date, now: now) else { continue }
      #expect(wait >= .zero && wait <= .seconds(31_536_000), "seed \(seed)")
    }
  }

  @Test func `what was read reaches the retry`() {
    let wait = Self.wait("Sun, 06 Nov 1994 08:50:37 GMT")
    let error = AppError.http(status: 429, retryAfter: wait)
    #expect(error.disposition.retry == .afterHint(.seconds(60)))
  }
}
