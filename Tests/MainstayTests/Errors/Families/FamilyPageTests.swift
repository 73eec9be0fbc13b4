// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// A cause that nobody has classified, so that a case keeps its own words.
private struct Cause: Error {}

/// A page for each family of errors, made from its cases.
@Suite struct FamilyPageTests {
  struct Family: Sendable {
    let name: String
    let file: String
    let cases: [any AppErrorConvertible]
  }

  private static let folder = "Sources/Mainstay/Mainstay.docc/Types/Families/"

  static let families = [
    Family(
      name: "Framework", file: "Framework",
      cases: [
        AppError.Framework.capabilityUnavailable("camera"),
        AppError.Framework.stateCorruption("two owners"),
        AppError.Framework.architecturalViolation("view writes"),
        AppError.Framework.performanceThreshold("9 s"),
        AppError.Framework.configuration("host"), AppError.Framework.unknown(Cause()),
      ]),
    Family(
      name: "Client", file: "Framework",
      cases: [
        AppError.Client.invalidState("closed"), AppError.Client.concurrencyViolation("two writers"),
        AppError.Client.updateFailed(Cause()), AppError.Client.changeRefused("few lines"),
        AppError.Client.isolationBreach("cart"), AppError.Client.actorGone("cart"),
      ]),
    Family(
      name: "Context", file: "Framework",
      cases: [
        AppError.Context.bindingFailed(property: "name"),
        AppError.Context.orchestrationFailed(clients: ["cart"]),
        AppError.Context.observationFailed("cart"), AppError.Context.updateFailed(Cause()),
      ]),
    Family(
      name: "Capability", file: "Framework",
      cases: [
        AppError.Capability.unavailable("camera"), AppError.Capability.requirementNotMet("light"),
        AppError.Capability.validationTimedOut("camera"),
        AppError.Capability.executionFailed(Cause()),
        AppError.Capability.fallbackUnavailable("typing"),
      ]),
    Family(
      name: "Service", file: "Service",
      cases: [
        AppError.Service.notConfigured, AppError.Service.invalidConfiguration("no key"),
        AppError.Service.networkUnavailable, AppError.Service.authenticationFailed,
        AppError.Service.rateLimited(), AppError.Service.invalidResponse,
        AppError.Service.streaming(), AppError.Service.timeout, AppError.Service.cancelled,
        AppError.Service.provider(code: "E7", message: "no"), AppError.Service.unknown(Cause()),
      ]),
    Family(
      name: "Network", file: "Service",
      cases: [
        AppError.Network.offline, AppError.Network.timeout, AppError.Network.server(code: 503),
        AppError.Network.invalidResponse, AppError.Network.rateLimited(),
        AppError.Network.unauthorized,
      ]),
    Family(
      name: "Data", file: "Service",
      cases: [
        AppError.Data.saveFailed(), AppError.Data.fetchFailed(), AppError.Data.corrupted,
        AppError.Data.migrationFailed(),
      ]),
    Family(
      name: "Recognition", file: "Service",
      cases: [
        AppError.Recognition.unrecognised, AppError.Recognition.lowConfidence(0.4),
        AppError.Recognition.tooDark, AppError.Recognition.tooFar,
        AppError.Recognition.modelFailed(),
      ]),
  ]

  @Test(arguments: families.indices) func `a page has every case of its family`(
    index: Int
  ) throws {
    let family = Self.families[index]
    let source = try Self.source(of: family)
    let names = family.cases.map(Self.name)
    #expect(names == source.cases.map(\.name), "a case has no sample, or another order")
    let meanings = Dictionary(uniqueKeysWithValues: source.cases)
    let errors = family.cases.map { (Self.name($0), $0.appError) }

    var lines = [
      "# \(family.name) errors", "", source.about, "", "## Cases", "",
      "``AppError/\(family.name)`` has these. <doc:ErrorFamilies> says what a cause changes.",
      "", "| Case | When | Code | Kind | Disposition | Severity |", "|---|---|---|---|---|---|",
    ]
    for (name, error) in errors {
      let disposition = String(describing: error.disposition).prefix { $0 != "(" }
      lines.append(
        "| `\(name)` | \(ReferencePage.cell(meanings[name] ?? "")) | `\(error.code)` "
          + "| `\(error.kind)` | `\(disposition)` | \(error.severity) |")
    }
    lines += [
      "", "## What a person reads", "", "| Case | Title | Message | Suggestion |",
      "|---|---|---|---|",
    ]
    let english = Locale(identifier: "en")
    for (name, error) in errors {
      let texts = [error.title, error.message] + [error.suggestion].compactMap(\.self)
      let cells = texts.map { ReferencePage.cell($0.string(in: english)) }
      let padded = cells + Array(repeating: "", count: 3 - cells.count)
      lines.append("| `\(name)` | \(padded.joined(separator: " | ")) |")
    }
    lines += ["", "This page is written from the code by `make reference`.", ""]
    let page = ReferencePage(Self.folder + "\(family.name)Errors.md")
    let difference = try page.difference(from: lines.joined(separator: "\n"))
    #expect(difference == nil, "\(difference ?? "")")
  }

  private static func name(_ error: any AppErrorConvertible) -> String {
    String(String(describing: error).prefix { $0.isLetter })
  }

  /// What a family is about, and its cases with their comments, as the source has them.
  private static func source(
    of family: Family
  ) throws -> (about: String, cases: [(name: String, meaning: String)]) {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = "Sources/Mainstay/Errors/Families/AppError+\(family.file).swift"
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(
      lines.firstIndex { $0.hasPrefix("  public enum \(family.name): AppErrorConvertible") })
    let about = lines[..<start].reversed().prefix { $0.hasPrefix("  ///") }.reversed()
      .prefix { $0 != "  ///" }.map { $0.dropFirst(6) }
    var cases: [(name: String, meaning: String)] = []
    var comment: [Substring] = []
    for line in lines[(start + 1)...] {
      if line == "  }" { break }
      let words = line.drop { $0 == " " }
      if words.hasPrefix("///") {
        comment.append(words.dropFirst(4))
      } else {
        if words.hasPrefix("case ") {
          let name = words.dropFirst(5).prefix { $0.isLetter }
          cases.append((String(name), comment.joined(separator: " ")))
        }
        comment = []
      }
    }
    return (about.joined(separator: " "), cases)
  }
}
