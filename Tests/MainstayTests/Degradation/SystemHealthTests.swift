// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Trees of files as they were seen in containers, services and pods, with what was read of them.
@Suite(.ends(withinMinutes: 2), .requirement("A25")) struct SystemHealthTests {
  private let clock = ManualClock()

  /// Reads a tree, and again after changes.
  private func reading(
    _ files: [String: String], then changes: [String: String] = [:], after time: Duration = .zero
  ) throws -> SystemHealth {
    let root = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ files: [String: String]) throws {
      for (path, text) in files {
        let url = root.appending(path: path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
    }
    try write(files)
    let reader = SystemHealth.Reader(root: root, clock: clock)
    let first = reader.read()
    guard !changes.isEmpty else { return first }
    #expect(first.processorUse == nil)
    try write(changes)
    clock.advance(by: time)
    return reader.read()
  }

  private static let machine = [
    "proc/meminfo":
      "MemTotal:       16000000 kB\nMemFree:  100000 kB\nMemAvailable:    4000000 kB\n",
    "proc/stat": "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3 4\n",
    "proc/pressure/memory": "some avg10=12.50 avg60=1.00 avg300=0.00 total=1\nfull avg10=0.00\n",
  ]

  @Test func `without groups the whole system counts`() throws {
    let health = try reading(
      Self.machine, then: ["proc/stat": "cpu  190 0 100 705 105 0 0 0 0 0\n"], after: .seconds(1))
    #expect(health.memoryUse == 0.75 && health.source == .system)
    #expect(health.processorUse == 0.9 && health.memoryPressure == 0.125)
    #expect(health.processorPressure == nil)
  }

  @Test func `a container sees its own group at the top, and its limit`() throws {
    let files = Self.machine.merging([
      "proc/self/cgroup": "0::/\n",
      "sys/fs/cgroup/memory.max": "1000000\n", "sys/fs/cgroup/memory.current": "900000\n",
      "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 400000\nactive_file 5\n",
      "sys/fs/cgroup/cpu.max": "50000 100000\n",
      "sys/fs/cgroup/cpu.stat": "usage_usec 1000000\nuser_usec 1\n",
      "sys/fs/cgroup/memory.pressure": "some avg10=50.00 avg60=0.00\n",
    ]) { $1 }
    let health = try reading(
      files, then: ["sys/fs/cgroup/cpu.stat": "usage_usec 1400000\n"], after: .seconds(1))
    #expect(health.memoryUse == 0.5 && health.source == .controlGroup2)
    #expect(abs((health.processorUse ?? 0) - 0.8) < 1e-9 && health.memoryPressure == 0.5)
  }

  @Test func `of the groups around a service the one that is nearest to its limit counts`() throws {
    let service = "sys/fs/cgroup/system.slice/app.service"
    let health = try reading(
      Self.machine.merging([
        "proc/self/cgroup": "0::/system.slice/app.service\n",
        "\(service)/memory.max": "max\n", "\(service)/memory.current": "700000\n",
        "sys/fs/cgroup/system.slice/memory.max": "1000000\n",
        "sys/fs/cgroup/system.slice/memory.current": "950000\n",
      ]) { $1 })
    #expect(health.memoryUse == 0.95 && health.source == .controlGroup2)
  }

  @Test(arguments: ["0::/kubepods.slice/pod1/abc\n", "0::/../../pod1/abc\n"])
  func `a pod whose group is named as the host does finds it at the top`(name: String) throws {
    let health = try reading(
      Self.machine.merging([
        "proc/self/cgroup": name, "sys/fs/cgroup/memory.max": "2000000\n",
        "sys/fs/cgroup/memory.current": "500000\n",
      ]) { $1 })
    #expect(health.memoryUse == 0.25 && health.source == .controlGroup2)
  }

  @Test func `the first version has other names, and a huge number for no limit`() throws {
    let group = "sys/fs/cgroup/memory/docker/abc"
    var files = Self.machine.merging([
      "proc/self/cgroup": "9:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n",
      "\(group)/memory.limit_in_bytes": "1000000\n",
      "\(group)/memory.usage_in_bytes": "800000\n",
      "\(group)/memory.stat": "inactive_file 1\ntotal_inactive_file 300000\n",
      "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "200000\n",
      "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpuacct.usage": "5000000000\n",
    ]) { $1 }
    let health = try reading(
      files,
      then: ["sys/fs/cgroup/cpu,cpuacct/docker/abc/cpuacct.usage": "7000000000\n"],
      after: .seconds(2))
    #expect(health.memoryUse == 0.5 && health.source == .controlGroup1)
    #expect(abs((health.processorUse ?? 0) - 0.5) < 1e-9)
    files["\(group)/memory.limit_in_bytes"] = "9223372036854771712\n"
    let unlimited = try reading(files)
    #expect(unlimited.memoryUse == 0.75 && unlimited.source == .system)
  }

  @Test(arguments: ["", "max", "-1", "nonsense \u{0}", "0", "nan", "1e400"])
  func `files that make no sense leave numbers out, and trap nothing`(text: String) throws {
    let health = try reading([
      "proc/self/cgroup": "0::/a\n:::\n\(text)\n", "sys/fs/cgroup/a/memory.max": text,
      "sys/fs/cgroup/a/memory.current": text, "sys/fs/cgroup/a/cpu.max": text,
      "sys/fs/cgroup/a/cpu.stat": text, "proc/meminfo": "MemTotal: \(text)\nMemAvailable: 5\n",
      "proc/stat": "cpu \(text)", "proc/pressure/memory": "some avg10=\(text)",
    ])
    #expect(health.memoryUse.map { (0...1).contains($0) } ?? true)
    #expect(health.processorUse == nil)
  }

  @Test func `this machine has numbers`() {
    let reader = SystemHealth.Reader()
    _ = reader.read()
    let health = reader.read()
    #if os(Linux)
      #expect(health.memoryUse.map { $0 > 0 && $0 <= 1 } == true)
    #endif
    #expect(health.processorUse.map { (0...1).contains($0) } ?? true)
  }

  @Test func `a controller follows it, and comes back without flapping`() async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appending(path: "proc")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func free(_ percent: Int) throws {
      try Data("MemTotal: 100 kB\nMemAvailable: \(percent) kB\n".utf8)
        .write(to: folder.appending(path: "meminfo"), options: .atomic)
    }
    try free(50)
    let controller = DegradationController(.standard, clock: clock)
    var changes = controller.changes.makeAsyncIterator()
    controller.follow(SystemHealth.Reader(root: root, clock: clock), every: .seconds(2))
    await clock.sleepers(atLeast: 1)
    try free(5)
    clock.advance(by: .seconds(2))
    let fall = await changes.following()
    #expect(fall?.to == .minimal && fall?.reasons.map(\.id) == [.memory])
    // A little better is not well.
    for percent in [12, 8, 14, 9, 60] {
      await clock.sleepers(atLeast: 1)
      try free(percent)
      clock.advance(by: .seconds(2))
    }
    while controller.status.level < .full {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(2))
      await Task.yield()
    }
    let rise = await changes.following()
    #expect(rise?.from == .minimal && rise?.to == .full)
    controller.end()
  }
}
