// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@Suite struct FileSinkTests {
  private let reports = ErrorReport.Batch(reports: [SampleReports.full, SampleReports.hostile])

  private func lines(_ file: URL) throws -> [Data] {
    try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
  }

  @Test(.requirement("A35", "A36", "A37", "A49", "D21"))
  func `a report is a line, and so are a recovery and what a person saw`() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("errors.jsonl")
      let sink = ErrorReport.FileSink(file, forcing: .always)
      #expect(await sink.send(reports) == .accepted)
      let recovery = SampleReports.recovery(succeeded: true)
      #expect(await sink.send(.init(reports: [], recoveries: [recovery])) == .accepted)
      #expect(await sink.send(.init(reports: [], updates: reports.reports)) == .accepted)
      #expect(try lines(file).count == 4, "of one of both a person saw something")
      let read = ErrorReport.Encoding.contents(ofJSON: try Data(contentsOf: file))
      #expect(read.reports == reports.reports && read.recoveries == [recovery])
      #expect(read.presentations == [SampleReports.full.id: SampleReports.full.presentation])
      #expect(read.unreadable == 0)
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test func `a full file becomes an older one, and the oldest is deleted`() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("errors.jsonl")
      let sink = ErrorReport.FileSink(file, maximumBytes: 4_096, maximumFiles: 3)
      for _ in 0..<40 { #expect(await sink.send(reports) == .accepted) }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(names == ["errors.jsonl", "errors.jsonl.1", "errors.jsonl.2"])
      for name in names {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        #expect(data.count <= 4_096)
        #expect(ErrorReport.Encoding.contents(ofJSON: data).unreadable == 0)
      }
    }
  }

  @Test func `one file is emptied where there is to be one alone`() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("errors.jsonl")
      let sink = ErrorReport.FileSink(file, maximumBytes: 4_096, maximumFiles: 1)
      for _ in 0..<10 { #expect(await sink.send(reports) == .accepted) }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == ["errors.jsonl"])
      #expect(try Data(contentsOf: file).count <= 4_096)
    }
  }

  @Test func `a file that vanished or was moved is begun anew`() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("errors.jsonl")
      let sink = ErrorReport.FileSink(file)
      _ = await sink.send(reports)
      try FileManager.default.removeItem(at: file)
      #expect(await sink.send(reports) == .accepted)
      #expect(try lines(file).count == 2)
      let moved = folder.appendingPathComponent("moved")
      try FileManager.default.moveItem(at: file, to: moved)
      #expect(await sink.send(reports) == .accepted)
      #expect(try lines(file).count == 2)
      #expect(try lines(moved).count == 2)
    }
  }

  @Test func `a line that a crash has cut short costs no other line`() async throws {
    try await withFolder { folder in
      let file = folder.appendingPathComponent("errors.jsonl")
      try Data(#"{"version":1,"id":"6F1C"#.utf8).write(to: file)
      #expect(await ErrorReport.FileSink(file).send(reports) == .accepted)
      let read = ErrorReport.Encoding.contents(ofJSON: try Data(contentsOf: file))
      #expect(read.reports == reports.reports)
      #expect(read.unreadable == 1)
    }
  }

  @Test func `where nothing can be written the batch is handed over again`() async throws {
    try await withFolder { folder in
      let missing = folder.appendingPathComponent("none").appendingPathComponent("errors.jsonl")
      let sink = ErrorReport.FileSink(missing)
      #expect(await sink.send(reports) == .later())
      #expect(await ErrorReport.FileSink(folder).send(reports) == .later())
      try FileManager.default.createDirectory(
        at: missing.deletingLastPathComponent(), withIntermediateDirectories: false)
      #expect(await sink.send(reports) == .accepted)
    }
  }

  @Test func `what is no file is not written to`() async {
    // Whatever it is: a pipe that nobody reads would hold the sink up for ever.
    let device = URL(fileURLWithPath: "/dev/full")
    #expect(await ErrorReport.FileSink(device).send(reports) == .later())
  }

  @Test func `settings that make no sense stop the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = ErrorReport.FileSink(URL(fileURLWithPath: "/tmp/x"), maximumBytes: 10)
    }
    await #expect(processExitsWith: .failure) {
      _ = ErrorReport.FileSink(URL(fileURLWithPath: "/tmp/x"), maximumFiles: 0)
    }
    await #expect(processExitsWith: .failure) { _ = ErrorReport.MetricsSink(maximumCodes: 0) }
  }
}
