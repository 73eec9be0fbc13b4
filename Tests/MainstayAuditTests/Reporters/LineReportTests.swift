// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// The forms of which other programs read each line.
@Suite struct LineReportTests {
  @Test func `GitHub gets an annotation for each finding`() {
    #expect(
      Samples.small.text(as: .github) == """
        ::error file=Sources/App/Store.swift,line=12,endLine=12,col=7,endColumn=15,\
        title=MS201 empty-catch::This error is dropped.%0AWhatever goes wrong here is gone: \
        no log, no report, no message.%0A`--fix` would log the error.
        ::notice file=Sources/App/Store.swift,line=120,endLine=120,col=1,endColumn=6,\
        title=MS201 empty-catch::This error is dropped.%0AWhatever goes wrong here is gone: \
        no log, no report, no message.
        ::warning file=Sources/App/Timer.swift,line=3,endLine=3,col=3,endColumn=7,\
        title=MS302 sleep-swallows-cancel::`Task.sleep` drops cancellation in a loop.%0AAfter \
        cancellation the loop spins as fast as it can.%0A`--fix --unsafe` would leave the loop.
        ::warning file=Sources/App/Locked.swift,title=Not looked at::This file could not be \
        looked at: permission denied.

        """)
  }

  @Test func `GitHub's own signs are escaped, and columns are characters`() {
    let text = Samples.hostile.text(as: .github)
    #expect(
      text.split(separator: "\n").first?.hasPrefix(
        """
        ::error file=My Sources/100%25%2C a%3Ab/“x”%0A%3A%3Aerror%3A%3A.swift,line=2,endLine=2,\
        col=9,endColumn=11,title=MS201 empty-catch::`a|b` is "50%25",%0D%0Aor\\u{1B}[2J \
        \\u{2066}not</details> 👍🏽: [x](y).%0A
        """) ?? false, "\(text)")
    #expect(text.split(separator: "\n").count == 2)
    #expect(Samples.isPlain(text))
  }

  @Test func `Xcode gets whole paths and the words that it knows`() {
    #expect(
      Samples.small.text(as: .xcode) == """
        /code/app/Sources/App/Store.swift:12:7: error: This error is dropped (MS201 empty-catch)
        /code/app/Sources/App/Store.swift:120:1: note: This error is dropped (MS201 empty-catch)
        /code/app/Sources/App/Timer.swift:3:3: warning: `Task.sleep` drops cancellation in a loop \
        (MS302 sleep-swallows-cancel)
        /code/app/Sources/App/Locked.swift:1:1: warning: this file could not be looked at: \
        permission denied

        """)
  }

  @Test(arguments: [
    ("/else/where/A b.swift", "/else/where/A b.swift:1:1: error"),
    ("./A.swift", "/code/app/A.swift:1:1: error"),
    ("../A.swift", "/code/app/../A.swift:1:1: error"),
  ]) func `Xcode's paths start at the root`(path: String, start: String) {
    #expect(Samples.report(Samples.finding(path: path)).text(as: .xcode).hasPrefix(start))
  }

  @Test func `Xcode gets one line for each, whatever they hold`() {
    let text = Samples.hostile.text(as: .xcode)
    #expect(text.split(separator: "\n").count == 2)
    #expect(Samples.isPlain(text))
  }

  @Test(arguments: [AuditFormat.github, .xcode]) func `nothing found says nothing`(
    format: AuditFormat
  ) {
    #expect(Samples.clean.text(as: format) == "")
  }
}
