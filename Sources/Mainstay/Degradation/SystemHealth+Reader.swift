// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension SystemHealth {
  /// Reads how much of the memory and the processor that this process may use is in use.
  ///
  /// On Linux it looks for the narrowest limit of the control groups around the process (version 2,
  /// else version 1), and reads the whole system where there is none. What the kernel can give back
  /// at any time, the inactive part of the page cache, does not count as used.
  public final class Reader: Sendable {
    /// Where the files of the system are; a test gives a folder that looks like one.
    private let root: String
    private let timeline: Timeline
    private let last = Locked<ProcessorSample?>(nil)

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - root: The folder in which `proc` and `sys` lie; the default is that of the system.
    ///   - clock: The clock; the default is the continuous one.
    public init(
      root: URL = URL(filePath: "/"), clock: some Clock<Duration> = ContinuousClock()
    ) {
      var path = root.path(percentEncoded: false)
      while path.hasSuffix("/") { path.removeLast() }
      self.root = path
      timeline = Timeline(clock)
    }

    /// Reads; where a file is missing or makes no sense, that number is missing.
    public func read() -> SystemHealth {
      #if canImport(Darwin)
        return AppleHealth.read()
      #else
        let files = SystemFiles(root: root)
        let groups = ControlGroups(files)
        var health = SystemHealth()
        if let use = groups.memoryUse {
          (health.memoryUse, health.source) = (use, groups.source)
        } else {
          health.memoryUse = files.systemMemoryUse
        }
        let sample = groups.processorSample(at: timeline.now) ?? files.processorSample
        health.processorUse = last.withLock { last in
          defer { last = sample }
          return sample.flatMap { new in last.flatMap { new.use(since: $0) } }
        }
        health.memoryPressure = groups.pressure("memory") ?? files.pressure("proc/pressure/memory")
        health.processorPressure = groups.pressure("cpu") ?? files.pressure("proc/pressure/cpu")
        return health
      #endif
    }
  }
}

/// How much of a processor was used, of how much there was, both counted from a fixed moment.
struct ProcessorSample: Sendable, Hashable {
  /// Which files it comes from: two of different ones cannot be compared.
  let source: String
  let used: Double
  let available: Double

  /// The share that was used in between; nil where nothing passed, or the counters went back.
  func use(since other: ProcessorSample) -> Double? {
    let (used, available) = (used - other.used, available - other.available)
    guard source == other.source, available > 0, used >= 0 else { return nil }
    return min(used / available, 1)
  }
}

/// Reads small files of the system.
struct SystemFiles: Sendable {
  let root: String

  func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: "\(root)/\(path)")
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// A file that holds one number; nil also for words such as `max`.
  func number(_ path: String) -> Double? {
    text(path).flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// A number in a file of lines with a name and a number.
  func number(_ name: String, in path: String) -> Double? {
    guard let text = text(path) else { return nil }
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == ":" }
      if words.count > 1, words[0] == name { return Double(words[1]) }
    }
    return nil
  }

  func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
    return isThere && isFolder.boolValue
  }

  /// All of the memory, in bytes.
  var totalMemory: Double? { number("MemTotal", in: "proc/meminfo").map { $0 * 1024 } }

  var systemMemoryUse: Double? {
    guard let total = number("MemTotal", in: "proc/meminfo"), total > 0,
      let free = number("MemAvailable", in: "proc/meminfo")
    else { return nil }
    return min(max(1 - free / total, 0), 1)
  }

  /// The processors' time by `/proc/stat`: user, nice, system, idle, waiting for disks, interrupts,
  /// and time that other guests took.
  var processorSample: ProcessorSample? {
    guard let line = text("proc/stat")?.split(separator: "\n").first, line.hasPrefix("cpu ") else {
      return nil
    }
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    guard ticks.count >= 4 else { return nil }
    let all = ticks.reduce(0, +)
    let idle = ticks[3] + (ticks.count > 4 ? ticks[4] : 0)
    return ProcessorSample(source: "proc/stat", used: all - idle, available: all)
  }

  /// The share of the last ten seconds in which somebody waited.
  func pressure(_ path: String) -> Double? {
    guard let text = text(path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("some ") {
      let word = line.split(separator: " ").first { $0.hasPrefix("avg10=") }
      return word.flatMap { Double($0.dropFirst("avg10=".count)) }.map {
        min(max($0, 0), 100) / 100
      }
    }
    return nil
  }
}
