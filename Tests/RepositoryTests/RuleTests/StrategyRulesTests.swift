// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct StrategyRulesTests {
  @Test func `a target without a section needs a reason, and no reason outlives its target`() {
    let page = "<!-- begin Mainstay -->\n<!-- begin MainstayUI -->"
    let found = StrategyRules.violations(
      page, targets: ["Mainstay", "MainstayNew", "MainstayUI", "MainstayCLI"])
    #expect(
      found.map(\.rule) == [
        "`AuditCommands` is in the list of those without errors, and no target",
        "`MainstayAudit` is in the list of those without errors, and no target",
        "`MainstayConfiguration` is in the list of those without errors, and no target",
        "`MainstayDashboard` is in the list of those without errors, and no target",
        "`MainstayHTTPTesting` is in the list of those without errors, and no target",
        "`MainstayNew` is to be on the page or in the list of those without errors",
        "`MainstayOutboxPostgres` is in the list of those without errors, and no target",
        "`MainstayOutboxTesting` is in the list of those without errors, and no target",
        "`MainstayServer` is in the list of those without errors, and no target",
        "`MainstayTesting` is in the list of those without errors, and no target",
        "`MainstayUI` is to be on the page or in the list of those without errors",
        "`mainstay-audit` is in the list of those without errors, and no target",
      ])
  }
}
