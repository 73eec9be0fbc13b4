// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// How bad a finding is, which an example of a rule does not say.
@Suite struct SeverityTests {
  @Test(arguments: [
    ("Regex(\"[a-z]+\", as: Substring.self)", Severity.info),
    ("Regex(\"([a-z]+)\", as: (Substring, word: Substring).self)", .info),
    ("Regex(pattern, as: Substring.self)", .error),
    ("Regex(\"[a-z]+\", as: settings.self)", .error),
    ("ModelContainer(for: Item.self)", .error),
    (".init(erasing: Curves.secp256r1)", .info),
    ("ASN1Any(erasing: Null())", .info),
    ("ASN1Any(erasing: .init(bits: 0))", .info),
    (".init(erasing: curve)", .error),
    ("settings.init(\"a\")", .error),
    ("ASN1Any(erasing: Null(curve))", .error),
    ("Realm(configuration: .init())", .error),
    ("Realm(configuration: Configuration())", .error),
  ])
  func `what is made of a literal fails in the first test or never`(
    code: String, severity: Severity
  ) async throws {
    let found = try await report(of: .good("let a = try! \(code)"), profile: .default).findings
    #expect(found.filter { $0.rule == "MS601" }.map(\.severity) == [severity], "\(code)")
  }
}
