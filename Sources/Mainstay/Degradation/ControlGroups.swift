// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The control groups around this process, the narrowest first.
///
/// In a container the group is often mounted at the top, while `/proc/self/cgroup` names it as the
/// host does: where there is no such folder, the top is meant.
///
/// Source: the kernel's documentation, "Control Group v2" and "Memory Resource Controller".
struct ControlGroups: Sendable {
  private enum Version {
    case first
    case second
  }

  private let files: SystemFiles
  private let version: Version
  private let memory: [String]
  private let processor: [String]

  init(_ files: SystemFiles) {
    self.files = files
    let lines = (files.text("proc/self/cgroup") ?? "").split(separator: "\n").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    }.filter { $0.count == 3 }
    func path(_ controller: String) -> String? {
      lines.first { $0[1].split(separator: ",").contains(Substring(controller)) }?[2]
    }
    // Where both are mounted, the controllers of the first one are those that count.
    if let memory = path("memory") {
      version = .first
      self.memory = Self.folders(files, "sys/fs/cgroup/memory", memory)
      let top = ["cpu,cpuacct", "cpuacct,cpu", "cpu"].first {
        files.isFolder("sys/fs/cgroup/\($0)")
      }
      processor = Self.folders(files, "sys/fs/cgroup/\(top ?? "cpu")", path("cpu") ?? memory)
    } else {
      version = .second
      let own = lines.first { $0[0] == "0" && $0[1].isEmpty }?[2] ?? "/"
      memory = Self.folders(files, "sys/fs/cgroup", own)
      processor = memory
    }
  }

  /// The folder of a group and those around it, as far as they are there.
  private static func folders(_ files: SystemFiles, _ top: String, _ path: String) -> [String] {
    let parts = path.split(separator: "/")
    // A group outside of the namespace has no folder here.
    let isOutside = parts.contains("..")
    let full = ([top] + parts.map(String.init)).joined(separator: "/")
    guard !isOutside, files.isFolder(full) else { return files.isFolder(top) ? [top] : [] }
    return (0...parts.count).reversed().map { count in
      ([top] + parts.prefix(count).map(String.init)).joined(separator: "/")
    }
  }

  var source: SystemHealth.Source { version == .first ? .controlGroup1 : .controlGroup2 }

  /// The share of the memory that is used, in the group that is nearest to its limit; nil where
  /// none has one.
  var memoryUse: Double? {
    memory.compactMap { folder in
      let names: (limit: String, used: String, inactive: String) =
        version == .first
        ? ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        : ("memory.max", "memory.current", "inactive_file")
      guard let limit = files.number("\(folder)/\(names.limit)"), limit > 0,
        // "No limit" is a word in the second version, and a huge number in the first.
        limit < files.totalMemory ?? 1e18, let used = files.number("\(folder)/\(names.used)")
      else { return nil }
      let inactive = files.number(names.inactive, in: "\(folder)/memory.stat") ?? 0
      return min(max(used - inactive, 0) / limit, 1)
    }.max()
  }

  /// What was used of the processor, in the narrowest group with a limit; nil where none has one.
  func processorSample(at now: Duration) -> ProcessorSample? {
    for folder in processor {
      guard let share = processorLimit(folder), let used = processorTime(folder) else { continue }
      return ProcessorSample(source: folder, used: used, available: now.inSeconds * share)
    }
    return nil
  }

  /// How many processors a group may use; nil for all.
  private func processorLimit(_ folder: String) -> Double? {
    let (quota, period): (Double?, Double?)
    switch version {
    case .first:
      quota = files.number("\(folder)/cpu.cfs_quota_us")
      period = files.number("\(folder)/cpu.cfs_period_us")
    case .second:
      let words = files.text("\(folder)/cpu.max")?.split { $0 == " " || $0 == "\n" } ?? []
      (quota, period) = (
        words.first.flatMap { Double($0) }, words.dropFirst().first.flatMap { Double($0) }
      )
    }
    guard let quota, let period, quota > 0, period > 0 else { return nil }
    return quota / period
  }

  /// The processor's time that a group has used, in seconds.
  private func processorTime(_ folder: String) -> Double? {
    switch version {
    case .first: files.number("\(folder)/cpuacct.usage").map { $0 / 1e9 }
    case .second: files.number("usage_usec", in: "\(folder)/cpu.stat").map { $0 / 1e6 }
    }
  }

  /// The share of the last ten seconds in which somebody in this group waited; nil in the first
  /// version, which does not count it.
  func pressure(_ what: String) -> Double? {
    version == .second ? memory.first.flatMap { files.pressure("\($0)/\(what).pressure") } : nil
  }
}
