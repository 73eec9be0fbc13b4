// SPDX-License-Identifier: Apache-2.0

/// A configuration that suits a project, guessed from its code, with a word about each guess.
package struct ConfigurationProposal: Sendable {
  /// The file.
  package let text: String

  /// Looks at the files of a project.
  ///
  /// - Parameters:
  ///   - found: The files.
  ///   - jobs: How many threads work.
  package init(of found: FileFinder.Found, jobs: Int) async {
    let report = await Audit().run(
      found.sources, jobs: jobs, hasStringTables: found.hasStringTables)
    let survey = await ProjectSurvey(of: found.sources, jobs: jobs)
    let appError = Self.appError(in: report.index, survey)
    let lines =
      Self.head + Self.section(appError) + Self.section(survey)
      + Self.section(placesOf: found.sources) + Self.section(report)
    text = lines.joined(separator: "\n") + "\n"
  }

  private static let head = [
    "# What `mainstay audit` goes by; `mainstay rules` lists the rules.", "",
    "# Rules that come later are notes until this is raised.",
    "rules: \(AuditConfiguration.newestRules)", "",
    "# simple, default, strict or all.",
  ]

  // MARK: The app's error

  /// The error type that most others are turned into, and how many are.
  private static func appError(
    in index: ProjectIndex, _ survey: ProjectSurvey
  ) -> (name: String, conversions: Int)? {
    let sources = survey.conversions.filter { index.types[$0.key] != nil && index.isError($0.key) }
    let ranked = sources.map { (name: $0.key, conversions: $0.value.count) }
      .sorted { ($1.conversions, $0.name) < ($0.conversions, $1.name) }
    // One conversion may serve any purpose; several into one type are a plan.
    if let best = ranked.first, best.conversions > 1 { return best }
    let isDeclared = index.types["AppError"] != nil && index.isError("AppError")
    return isDeclared ? ("AppError", sources["AppError"]?.count ?? 0) : nil
  }

  private static func section(
    _ appError: (name: String, conversions: Int)?
  ) -> [String] {
    guard let appError else {
      return [
        "profile: default", "",
        "# The type that every error becomes before a person sees it; none was found.",
        "# app_error: AppError", "",
      ]
    }
    return [
      "profile: strict", "",
      "# The type that every error becomes before a person sees it; "
        + (appError.conversions == 1 ? "1 other is" : "\(appError.conversions) others are")
        + " turned into it.",
      "app_error: \(appError.name)", "",
    ]
  }

  // MARK: Names

  private static func section(_ survey: ProjectSurvey) -> [String] {
    guard !survey.loggers.isEmpty else { return [] }
    return [
      "# Loggers whose names do not say so.",
      "loggers: [\(survey.loggers.joined(separator: ", "))]", "",
    ]
  }

  // MARK: Places

  /// What kinds of folders were met, and what is set for them.
  private static func section(placesOf sources: [AuditSource]) -> [String] {
    var tests: Set<String> = []
    var examples: Set<String> = []
    var generated: Set<String> = []
    for source in sources {
      guard let folder = firstFolder(of: source.place) else { continue }
      switch PathClass(path: source.place) {
      case .test: tests.insert(PathClass.testFolder(of: source.place) ?? folder)
      case .example: examples.insert(folder)
      case .generated: generated.insert(source.place)
      default: break
      }
    }
    var lines: [String] = []
    if !tests.isEmpty {
      lines.append("# Known as tests by their names: \(tests.sorted().joined(separator: ", ")).")
    }
    if !generated.isEmpty {
      lines.append("# \(generated.count) files are generated, and are not looked at.")
    }
    lines += ["# Paths that are not looked at, besides those of tools.", "# exclude: [Vendor]", ""]
    guard !examples.isEmpty else { return lines }
    return lines + [
      "# Examples show one thing at a time.", "overrides:",
      "  - paths: [\(examples.sorted().map(quoted).joined(separator: ", "))]",
      "    profile: simple", "",
    ]
  }

  /// The folder that a file lies in, at the top of the project.
  private static func firstFolder(of place: String) -> String? {
    let parts = place.split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : nil
  }

  private static func quoted(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "_-./".contains($0) }
    return isPlain
      ? text : "'" + text.replacing("'", with: "''").filter { !$0.isNewline } + "'"
  }

  // MARK: What there is to do

  private static func section(_ report: AuditReport) -> [String] {
    let count = report.findings.count
    guard count > 0 else { return ["# There is no finding of the default profile."] }
    return [
      "# The default profile has \(count) finding\(count == 1 ? "" : "s") now. To begin with new "
        + "code alone:",
      "#   mainstay audit --write-baseline .mainstay-baseline.json",
      "#   mainstay audit --baseline .mainstay-baseline.json",
    ]
  }
}
