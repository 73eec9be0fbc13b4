// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

@Suite struct ConfigurationTests {
  private func complaints(_ yaml: String) -> [String] {
    let (_, error) = AuditConfiguration.reading(yaml: yaml, path: "a.yml")
    return error?.violations.map { "\($0.line):\($0.column) \($0.message)" } ?? []
  }

  @Test func `every key is read`() throws {
    let configuration = try AuditConfiguration(
      yaml: """
        rules: 2026.1
        profile: strict
        app_error: ShopError
        converters: [Presentable]
        technical_errors: [SQLError]
        layers: [Coordinator]
        recorders: [audit]
        loggers: [journal]
        screens: [Snackbar]
        state_words: [hint]
        clean_up_calls: [vacuum]
        once_only_verbs: [ship]
        retry_calls: [attempting]
        enable: [ms201]
        disable: []
        severity:
          empty-catch: info
          MS001: error
        exclude: [Generated, "**/*.gen.swift"]
        overrides:
          - paths: [Sources/Server]
            profile: all
            enable: []
            disable: [MS201]
            severity: { MS201: warning }
        require_reasons: no
        """)
    let words = configuration.vocabulary
    #expect(configuration.profile == .strict)
    #expect(words.appError == "ShopError")
    #expect(words.converters.contains("Presentable"))
    #expect(words.technicalErrors == ["SQLError"])
    #expect(words.presentationLayers.last == "Coordinator")
    #expect(words.recorders.contains("audit") && words.recorders.contains("print"))
    #expect(words.loggers.contains("journal"))
    #expect(words.screens.contains("Snackbar"))
    #expect(words.stateWords.contains("hint"))
    #expect(words.cleanUps.contains("vacuum"))
    #expect(words.onceOnly.contains("ship"))
    #expect(words.retries.contains("attempting"))
    #expect(configuration.enabled == ["MS201"])
    #expect(configuration.severities == ["MS201": .info, "MS001": .error])
    #expect(configuration.excluded == ["Generated", "**/*.gen.swift"])
    #expect(!configuration.requiresReasons)
    let override = try #require(configuration.overrides.first)
    #expect(override.paths == ["Sources/Server"] && override.profile == .all)
    #expect(override.disabled == ["MS201"] && override.severities == ["MS201": .warning])
  }

  @Test(arguments: ["", "# nothing\n", "---\n", "{}\n"])
  func `a file that says nothing is the default`(yaml: String) throws {
    #expect(try AuditConfiguration(yaml: yaml) == AuditConfiguration())
  }

  @Test func `all that is wrong is told at once, each with its place`() {
    let found = complaints(
      """
      profil: strict
      profile: strickt
      rules: 2031.4
      app_error: [A]
      loggers: journal
      recorders: [a b, 3x, os.Log, {a: 1}]
      enable: [MS2O1, MS001]
      severity:
        MS201: bad
        MS999: error
      exclude: [../other, /etc]
      overrides:
        - profile: strict
          path: [a]
      require_reasons: perhaps
      """)
    #expect(
      found == [
        "1:1 There is no key `profil`; did you mean `profile`?",
        "2:10 `profile` is one of simple, default, strict or all, not `strickt`; "
          + "did you mean `strict`?",
        "3:8 There is no rule set `2031.4`; this version has 2026.1",
        "4:12 `app_error` wants the name of a type, not a list",
        "5:10 `loggers` wants a list of names, not `journal`",
        "6:13 `a b` is no name of Swift",
        "6:18 `3x` is no name of Swift",
        "6:22 `os.Log` is no name of Swift; names are compared by their last part: `Log`",
        "6:30 `recorders` wants a list of names; this is keys with values",
        "7:10 There is no rule `MS2O1`; did you mean `MS201`?",
        "7:17 `MS001` is about the audit itself and always on",
        "9:10 A severity is one of info, warning or error, not `bad`",
        "10:3 There is no rule `MS999`",
        "11:11 `../other` lies outside: paths are relative to the project's folder",
        "11:21 `/etc` lies outside: paths are relative to the project's folder",
        "13:5 An override needs `paths`: a list of the files it is about",
        "14:5 There is no key `path`; did you mean `paths`?",
        "15:18 `require_reasons` is true or false, not `perhaps`",
      ])
  }

  @Test(arguments: ["Sources/{A,B}/**", "!Sources/App", "[D]*.swift"])
  func `a pattern that can match nothing is told`(pattern: String) {
    for yaml in ["exclude: [\"%\"]", "overrides:\n  - paths: [\"%\"]\n    profile: all\n"] {
      let found = complaints(yaml.replacing("%", with: pattern))
      #expect(found.contains { $0.contains("`\(pattern)` matches nothing") }, "\(found)")
    }
  }

  @Test func `a rule that is on and off is told`() {
    #expect(
      complaints("enable: [MS201]\ndisable: [MS201]\n")
        == ["2:10 `MS201` is in `enable` as well as in `disable`"])
  }

  @Test func `what is no YAML is told with its place`() {
    #expect(complaints("profile: [strict\nrules: 2026.1\n").first?.hasPrefix("2:") ?? false)
    #expect(complaints("- a\n- b\n") == ["1:1 The file wants keys with values, not a list"])
    #expect(complaints("just words\n") == ["1:1 The file wants keys with values, not `just words`"])
    #expect(
      complaints("profile: all\nprofile: simple\n").first?.contains("occur twice: `profile`")
        ?? false)
  }

  @Test func `a second document is told where it begins`() {
    let words = "A second document begins here; a configuration is one"
    #expect(complaints("profile: all\n---\nenable: [MS201]\n") == ["2:1 \(words)"])
    #expect(complaints("---\n---\nprofil: all\n") == ["2:1 \(words)"])
  }

  @Test func `what is right beside what is wrong is read`() {
    let (configuration, error) = AuditConfiguration.reading(
      yaml: "profile: strict\nprofil: all\nenable: [MS201, MS999]\n", path: "a.yml")
    #expect(configuration.profile == .strict && configuration.enabled == ["MS201"])
    #expect(
      error?.description
        == """
        a.yml:2:1: There is no key `profil`; did you mean `profile`?
        a.yml:3:17: There is no rule `MS999`
        """)
  }

  @Test func `a file made against the reader is refused`() {
    #expect(complaints(String(repeating: "[", count: 200_000)).count == 1)
    #expect(
      complaints(String(repeating: "a", count: 300_000)) == ["1:1 The file has more than 256 kB"])
    let nested =
      "a: &a [x, x, x, x]\n"
      + zip("bcdefghij", "abcdefghi").map { "\($0): &\($0) [*\($1), *\($1), *\($1), *\($1)]\n" }
      .joined()
    #expect(complaints(nested + "loggers: *j\n").count <= 20)
  }
}
