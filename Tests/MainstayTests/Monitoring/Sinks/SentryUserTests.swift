// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// What Sentry is told of the user, and the tags of an app's own.
@Suite struct SentryUserTests {
  private typealias Encoding = ErrorReport.Encoding

  private func event(
    _ metadata: [String: ErrorReport.Attachment], facts: [String: String] = [:],
    _ encoding: Encoding = .sentry
  ) throws -> [String: Any] {
    let monitor = ErrorMonitor(facts: facts)
    monitor.capture(storeError(), during: "Save", metadata: metadata)
    let report = try #require(monitor.history.first)
    let lines = encoding.body(of: report).split(separator: UInt8(ascii: "\n"))
    let event = try JSONSerialization.jsonObject(with: try #require(lines.dropFirst(2).first))
    return try #require(event as? [String: Any])
  }

  @Test func `of a user Sentry is told the identity alone`() throws {
    let event = try event([
      "user.id": .public("4711"), "user.name": .public("ada"), "user.roles": .public("admin"),
      "page": .public("2"),
    ])
    #expect(event["user"] as? [String: String] == ["id": "4711"])
    let contexts = try #require(event["contexts"] as? [String: Any])
    #expect(contexts["metadata"] as? [String: String] == ["page": "2"])
  }

  @Test func `the name of a user is sent where that is allowed, and an address never`() throws {
    let metadata: [String: ErrorReport.Attachment] = [
      "user.id": .public("4711"), "user.name": .public("ada"),
      "user.email": .public("ada@example.com"),
    ]
    let event = try event(metadata, .sentry(sendsUserName: true))
    #expect(event["user"] as? [String: String] == ["id": "4711", "username": "ada"])
    let text = String(describing: event)
    #expect(!text.contains("example.com") && !text.contains("email"))
  }

  @Test func `what breadcrumbs say of the user is not sent either`() throws {
    let monitor = ErrorMonitor()
    monitor.addBreadcrumb(
      "signed in", metadata: ["user.name": .public("lovelace"), "screen": .public("start")])
    monitor.capture(storeError(), during: "Save")
    let text = String(
      decoding: Encoding.sentry.body(of: try #require(monitor.history.first)), as: UTF8.self)
    #expect(text.contains("start") && !text.contains("lovelace"), "\(text)")
  }

  @Test func `a value that is private leaves the place to a fact of its name`() throws {
    let event = try event(["user.id": .private("4711")], facts: ["user.id": "machine"])
    #expect(event["user"] as? [String: String] == ["id": "machine"])
  }

  @Test func `an identity that is private or an address is no identity`() throws {
    for id in [ErrorReport.Attachment.private("4711"), .public("ada@example.com"), .public("")] {
      #expect(try event(["user.id": id])["user"] == nil)
    }
    let long = try event(["user.id": .public(String(repeating: "7", count: 150))])
    #expect((long["user"] as? [String: String])?["id"]?.count == 128)
  }

  @Test func `an app of one user may say who that is by a fact`() throws {
    let event = try event([:], facts: ["user.id": "4711", "app.version": "1.4"])
    #expect(event["user"] as? [String: String] == ["id": "4711"])
    let contexts = try #require(event["contexts"] as? [String: Any])
    #expect(contexts["facts"] as? [String: String] == ["app.version": "1.4"])
  }

  @Test func `metadata and facts become tags by their names`() throws {
    let event = try event(
      ["plan": .public("pro"), "who": .private("Ada"), "empty": .public(" "), "page": "2"],
      facts: ["region": "eu", "plan": "free"],
      .sentry(tags: ["plan", "region", "who", "empty", "absent", "user.id"]))
    #expect(
      event["tags"] as? [String: String] == [
        "code": "store.failed-0", "kind": "storage", "disposition": "permanent",
        "operation": "Save", "plan": "pro", "region": "eu",
      ])
  }

  @Test func `a tag is what Sentry takes, and none takes the place of another`() throws {
    let long = String(repeating: "k", count: 40)
    let event = try event(
      [
        "page locale/é": .public("de\nat"), "code": .public("mine"),
        long: .public(String(repeating: "v", count: 300)), long + "2": .public("other"),
      ],
      .sentry(tags: ["page locale/é", "code", long, long + "2"]))
    let tags = try #require(event["tags"] as? [String: String])
    #expect(tags["page-locale--"] == "de at" && tags["code"] == "store.failed-0")
    #expect(tags[String(repeating: "k", count: 32)] == String(repeating: "v", count: 200))
    #expect(tags.count == 6)
  }

  @Test func `what has neither is written as before`() {
    for report in SampleReports.all {
      #expect(Encoding.sentry(tags: ["plan"]).body(of: report) == Encoding.sentry.body(of: report))
    }
  }
}
