// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

/// How often a report is written on its way to the disk, which its capture may wait for.
@Suite struct RecordFileStateMachineTests {
  @Test(arguments: [(0, 1), (1, 2), (300_000, 3)])
  func `a report is written once, and once without what can be spared`(
    length: Int, count: Int
  ) {
    let written = Locked(0)
    let encoding = ErrorReport.Encoding(
      contentType: "text/plain", category: "error", holdsSeveral: true
    ) { reports in
      written.withLock { $0 += 1 }
      let isWhole = reports.contains { !$0.breadcrumbs.isEmpty }
      return Data(repeating: 120, count: isWhole ? length : length / 2)
    }
    let report = length == 0 ? SampleReports.least : SampleReports.full
    let record = encoding.record(of: report)
    #expect(written.withLock { $0 } == count && record.body.count <= 256_000)
    #expect((record.trimmed != nil) == (count == 2), "one that was too long has nothing to spare")
    // Each of a batch is measured, and then they are written together.
    written.withLock { $0 = 0 }
    #expect(encoding.bodies(of: [SampleReports.least, SampleReports.least]).count == 1)
    #expect(written.withLock { $0 } == 3)
  }

  @Test(arguments: [nil, 0, 70_000]) func `a file is as long as it says before it is made`(
    trimmed: Int?
  ) {
    let record = ReportStore.Record.sample(bytes: 100_000, trimmed: trimmed)
    let file = RecordFile(record, kept: 1_700_000_000.25)
    #expect(file.length == file.encoded.count)
    #expect(file.withoutSpare?.length == file.withoutSpare?.encoded.count)
    #expect((file.withoutSpare == nil) == (trimmed == nil))
  }
}
