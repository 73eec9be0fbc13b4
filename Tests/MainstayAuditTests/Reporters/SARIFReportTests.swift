// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

/// The form of services; `make check-sarif` has other libraries read it.
@Suite struct SARIFReportTests {
  @Test func `it says which standard it follows, and what its columns are`() throws {
    let document = try read(Samples.clean)
    #expect(document["version"] as? String == "2.1.0")
    let run = try self.run(Samples.clean)
    #expect(run["columnKind"] as? String == "utf16CodeUnits")
    #expect(run["newlineSequences"] as? [String] == ["\r\n", "\n", "\r"])
    #expect((run["results"] as? [Any])?.isEmpty == true)
  }

  @Test func `it describes the rules that were on, and results name them by number`() async throws {
    let source = AuditSource(path: "Sources/A.swift", text: "do { try f() } catch {}\n")
    let report = await Audit().run([source])
    let rules = try self.rules(report)
    let ids = rules.compactMap { $0["id"] as? String }
    #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    #expect(Set(ids).isSuperset(of: ["MS001", "MS005", "MS201"]))
    #expect(
      Set(ids).isSuperset(of: Rule.all.filter { $0.level == .default }.map(\.id)))
    #expect(Set(ids).isDisjoint(with: Rule.all.filter { $0.level == .optIn }.map(\.id)))
    for rule in rules {
      for text in ["shortDescription", "fullDescription", "help"] {
        let words = (rule[text] as? [String: String])?["text"] ?? ""
        #expect(!words.isEmpty, "\(text) of \(rule["id"] ?? "")")
      }
    }
    let result = try #require(results(report).first)
    let place = try #require(result["ruleIndex"] as? Int)
    #expect(result["ruleId"] as? String == "MS201" && ids[place] == "MS201")
    #expect(result["level"] as? String == "error")
  }

  @Test func `a rule says all that there is to say of it`() async throws {
    let report = await Audit().run([AuditSource(path: "A.swift", text: "")])
    let rule = try #require(rules(report).first { $0["id"] as? String == "MS201" })
    #expect(rule["name"] as? String == "empty-catch")
    let help = try #require(rule["help"] as? [String: String])
    #expect(help["text"]?.hasPrefix("MS201 empty-catch (error; profiles: ") ?? false)
    #expect(help["markdown"]?.contains("```swift\n") ?? false)
    #expect((rule["defaultConfiguration"] as? [String: String])?["level"] == "error")
    let tags = (rule["properties"] as? [String: [String]])?["tags"] ?? []
    #expect(tags.starts(with: ["error-handling", "losing"]))
  }

  @Test func `a finding of a rule that nobody knows brings its rule along`() throws {
    let report = Samples.report(Samples.finding("XX1", "odd-thing", severity: .info))
    let rules = try self.rules(report)
    let result = try #require(results(report).first)
    let place = try #require(result["ruleIndex"] as? Int)
    #expect(rules[place]["id"] as? String == "XX1")
    #expect(result["level"] as? String == "note")
  }

  @Test func `places are relative and count as editors do`() throws {
    let place = try self.place(Samples.hostile)
    let location = try #require(place["artifactLocation"] as? [String: String])
    #expect(
      location["uri"]
        == "My%20Sources/100%25%2C%20a%3Ab/%E2%80%9Cx%E2%80%9D%0A%3A%3Aerror%3A%3A.swift")
    #expect(location["uriBaseId"] == "%SRCROOT%")
    let region = try #require(place["region"] as? [String: Any])
    #expect(region["startLine"] as? Int == 2 && region["endLine"] as? Int == 2)
    #expect(region["startColumn"] as? Int == 9 && region["endColumn"] as? Int == 11)
    #expect((region["snippet"] as? [String: String])?["text"] == "\"é")
    let context = try #require(place["contextRegion"] as? [String: Any])
    #expect(
      (context["snippet"] as? [String: String])?["text"] == Samples.hostile.findings[0].source)
  }

  @Test func `a line without an end is not repeated with each finding`() throws {
    let long = String(repeating: "let a = 1; ", count: 10_000)
    let place = try self.place(Samples.report(Samples.finding(column: 12, length: 3, source: long)))
    let region = try #require(place["region"] as? [String: Any])
    #expect((region["snippet"] as? [String: String])?["text"] == "let")
    #expect((place["contextRegion"] as? [String: Any])?["snippet"] == nil)
  }

  @Test func `a path from the root is a whole address`() throws {
    let place = try self.place(Samples.report(Samples.finding(path: "/tmp/a b.swift")))
    #expect(place["artifactLocation"] as? [String: String] == ["uri": "file:///tmp/a%20b.swift"])
  }

  @Test func `a fingerprint outlives other lines, and is different for each finding`() throws {
    let before = Samples.finding(line: 3)
    let moved = Samples.finding(line: 90, source: "  x")
    #expect(try fingerprints(Samples.report(before)) == fingerprints(Samples.report(moved)))
    let twice = try fingerprints(Samples.report(before, moved))
    #expect(Set(twice).count == 2)
    #expect(try twice.first == fingerprints(Samples.report(before)).first)
    let others = [
      Samples.finding("MS202"), Samples.finding(declaration: "Store.load"),
      Samples.finding(statement: 8),
    ]
    for other in others {
      #expect(try fingerprints(Samples.report(other)) != fingerprints(Samples.report(before)))
    }
  }

  @Test func `a fix says which lines and columns become what`() async throws {
    let text = """
      struct Störe {
        let log: Logger
        func save() {
          /* 日本👍 */ do { try write() } catch {}
        }
      }

      """
    let report = await Audit().run([AuditSource(path: "Sources/A.swift", text: text)])
    let replacement = try #require(replacements(report).first)
    let inserted = try #require(replacement["insertedContent"] as? [String: String])
    #expect(inserted == ["text": " log.error(\"\\(error)\") "])
    let region = try #require(replacement["deletedRegion"] as? [String: Int])
    #expect(region == ["startLine": 4, "startColumn": 42, "endLine": 4, "endColumn": 42])
  }

  @Test func `a fix whose lines nobody knows says which bytes become which`() throws {
    let fix = Fix.unsafe("say é", Edit(4..<9, "é"))
    let report = Samples.report(Samples.finding(fix: fix))
    let replacement = try #require(replacements(report).first)
    #expect(replacement["insertedContent"] as? [String: String] == ["binary": "w6k="])
    #expect(replacement["deletedRegion"] as? [String: Int] == ["byteOffset": 4, "byteLength": 5])
  }

  @Test func `what could not be looked at is a notification`() throws {
    let invocation = try #require((run(Samples.small)["invocations"] as? [[String: Any]])?.first)
    let notes = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
    #expect(notes.count == 1)
    #expect(
      (notes.first?["message"] as? [String: String])?["text"]
        == "This file could not be looked at: permission denied.")
  }

  @Test func `it is the same each time, and commands no terminal`() {
    let text = Samples.hostile.text(as: .sarif)
    #expect(text == Samples.hostile.text(as: .sarif))
    #expect(Samples.isPlain(text))
  }

  // MARK: Reading it

  private func read(_ report: AuditReport) throws -> [String: Any] {
    let data = Data(report.text(as: .sarif).utf8)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func run(_ report: AuditReport) throws -> [String: Any] {
    try #require((read(report)["runs"] as? [[String: Any]])?.first)
  }

  private func rules(_ report: AuditReport) throws -> [[String: Any]] {
    let driver = (try run(report)["tool"] as? [String: [String: Any]])?["driver"]
    #expect(driver?["semanticVersion"] as? String == AuditVersion.current)
    return try #require(driver?["rules"] as? [[String: Any]])
  }

  private func results(_ report: AuditReport) throws -> [[String: Any]] {
    try #require(run(report)["results"] as? [[String: Any]])
  }

  private func place(_ report: AuditReport) throws -> [String: Any] {
    let locations = try results(report).first?["locations"] as? [[String: Any]]
    return try #require(locations?.first?["physicalLocation"] as? [String: Any])
  }

  private func fingerprints(_ report: AuditReport) throws -> [String] {
    try results(report).compactMap {
      ($0["partialFingerprints"] as? [String: String])?["mainstayAnchor/v1"]
    }
  }

  private func replacements(_ report: AuditReport) throws -> [[String: Any]] {
    let result = try #require(results(report).first { $0["fixes"] != nil })
    let fix = try #require((result["fixes"] as? [[String: Any]])?.first)
    let change = try #require((fix["artifactChanges"] as? [[String: Any]])?.first)
    return try #require(change["replacements"] as? [[String: Any]])
  }
}
