// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

@Suite struct MarkdownReportTests {
  @Test func `it has a table of rules and, folded, their places`() {
    #expect(
      Samples.small.text(as: .markdown) == """
        # Audit

        3 findings in 2 of 14 files (1,204 lines): 1 error, 1 warning, 1 info.

        | Rule | Name | Findings | With a fix |
        |---|---|---|---:|
        | MS201 | empty-catch | 1 error, 1 info | 1 |
        | MS302 | sleep-swallows-cancel | 1 warning | 1 |

        `--fix` mends 1, `--fix --unsafe` 2.

        ## MS201 empty-catch

        Whatever goes wrong here is gone: no log, no report, no message.

        <details><summary>2 places</summary>

        - [`Sources/App/Store.swift:12`](Sources/App/Store.swift#L12) error: This error is \
        dropped; `--fix` would log the error
        - [`Sources/App/Store.swift:120`](Sources/App/Store.swift#L120) info: This error is dropped

        </details>

        ## MS302 sleep-swallows-cancel

        After cancellation the loop spins as fast as it can.

        <details><summary>1 place</summary>

        - [`Sources/App/Timer.swift:3`](Sources/App/Timer.swift#L3) warning: `Task.sleep` drops \
        cancellation in a loop; `--fix --unsafe` would leave the loop

        </details>

        ## Not looked at

        - `Sources/App/Locked.swift` could not be looked at: permission denied

        """)
  }

  @Test func `nothing in a file becomes a part of the page`() {
    let text = Samples.hostile.text(as: .markdown)
    #expect(Samples.isPlain(text))
    #expect(
      text.contains(
        """
        - [`My Sources/100%, a:b/“x”\\u{A}::error::.swift:2`](My%20Sources/100%25%2C%20a%3Ab/\
        %E2%80%9Cx%E2%80%9D%0A%3A%3Aerror%3A%3A.swift#L2) error: `a|b` is "50%",\
        \\\\u{D}\\\\u{A}or\\\\u{1B}\\[2J \\\\u{2066}not\\</details\\> 👍🏽: \\[x\\](y)
        """), "\(text)")
    #expect(text.contains("A \\<script\\> \\& a `|`."))
    #expect(text.contains("- `a\\u{7}%.swift` could not be looked at: it is \\<no\\> text"))
  }

  @Test func `backticks without a partner begin no code`() {
    let report = Samples.report(Samples.finding(path: "a`b``.swift", message: "`a` and ` b"))
    let text = report.text(as: .markdown)
    #expect(text.contains("[``` a`b``.swift:1 ```](a%60b%60%60.swift#L1)"))
    #expect(text.contains("error: \\`a\\` and \\` b"))
  }

  @Test func `a page stays a page`() {
    let many = (1...700).map { Samples.finding(line: $0) }
    let text = AuditReport(findings: many, files: 1, lines: 700, problems: []).text(as: .markdown)
    #expect(text.contains("\n- and 200 more\n"))
    #expect(text.contains("700 places"))
  }
}
