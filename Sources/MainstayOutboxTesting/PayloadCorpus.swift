// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import MainstayOutbox

/// Samples of everything that released builds may have left on a disk, kept as a file beside the
/// tests, so that no change of the code makes waiting operations unreadable, or something else.
///
/// ```swift
/// let corpus = PayloadCorpus([
///   "everything": SendOrder(item: "tea", count: 2, note: "no milk"),
///   "least": SendOrder(item: "tea", count: 1, note: nil),
/// ]) {
///   Worker(for: SendOrder.self) { _, _ in }
///     .upcasting(from: SendOrderV1.self) { SendOrder(item: $0.name, count: 1, note: nil) }
/// }
/// try corpus.check(against: "Tests/Payloads.tsv")
/// ```
///
/// An operation with sets in it has to be `Equatable`: each process writes them in another order.
///
/// With `MAINSTAY_RECORD_PAYLOADS=1` in the environment the samples are added to the file. Nothing
/// goes from it but by hand: when no device can have such an operation any more.
public struct PayloadCorpus: Sendable {
  /// One payload as some build wrote it.
  struct Sample: Sendable, Equatable {
    let kind: String
    let version: Int
    let name: String
    let payload: String
    /// The payload in the form of the newest build.
    var meaning: String

    var title: String { "\(kind) \(version) \"\(name)\"" }
    var form: Form { Form(kind: kind, version: version) }
  }

  /// A form that a worker reads.
  struct Form: Hashable, Comparable {
    let kind: String
    let version: Int

    static func < (left: Form, right: Form) -> Bool {
      (left.kind, left.version) < (right.kind, right.version)
    }
  }

  private let operations: [(name: String, operation: any QueuedOperation)]
  private let workers: [Form: Worker]

  /// Lists samples of this build, and what reads those of earlier ones.
  ///
  /// - Parameters:
  ///   - samples: Operations by name: one with everything in it, one with as little as there can
  ///     be.
  ///   - workers: The workers that the app hands to its outbox.
  public init(
    _ samples: KeyValuePairs<String, any QueuedOperation>,
    @WorkerBuilder readBy workers: () -> [Worker]
  ) {
    operations = samples.map { (Self.word($0.key), $0.value) }
    self.workers = Dictionary(
      workers().map {
        (Form(kind: Self.word($0.type.kind.rawValue), version: $0.type.version), $0)
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// Compares what this build makes of the samples with the file, or adds those that it lacks.
  ///
  /// - Parameters:
  ///   - path: The file; a relative path is taken from the current folder.
  ///   - recording: Whether the file is written; by default where the environment has
  ///     `MAINSTAY_RECORD_PAYLOADS=1`.
  /// - Throws: ``Broken`` with everything that is not as it was, ``Unreadable``, or what reading
  ///   and writing the file throws.
  public func check(against path: String, recording: Bool? = nil) throws {
    let asked = ProcessInfo.processInfo.environment["MAINSTAY_RECORD_PAYLOADS"] == "1"
    let known =
      FileManager.default.fileExists(atPath: path)
      ? try Self.samples(in: String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self))
      : []
    var findings = [String](), newest: [Sample] = []
    for sample in known {
      let read = read(sample)
      findings += read.findings
      newest.append(read.sample)
    }
    let added = try current().filter { new in
      let alike = known.filter { $0.form == new.form }
        .map { difference($0.payload, new.payload, as: new.form) }
      guard !alike.contains(.nothing) else { return false }
      guard alike.contains(.order) else { return true }
      findings.append(Self.reordered(new))
      return false
    }
    if recording ?? asked {
      try Data(Self.text(of: newest + added).utf8)
        .write(to: URL(filePath: path), options: .atomic)
      // What is read otherwise is accepted with the file; what is not read at all never is.
      findings = known.compactMap { unreadable($0) }
    } else {
      findings += added.map { "+ \($0.title) is not in the file" }
    }
    let sampled = Set((known + added).map(\.form))
    findings += workers.keys.filter { !sampled.contains($0) }.sorted()
      .map { "? \($0.kind) \($0.version): a worker reads it, and there is no sample of it" }
    guard findings.isEmpty else { throw Broken(findings: findings) }
  }

  /// The samples of this build.
  private func current() throws -> [Sample] {
    try operations.map { name, operation in
      let type = Swift.type(of: operation).payloadType
      let payload = String(decoding: try operation.encoded(), as: UTF8.self)
      let sample = Sample(
        kind: Self.word(type.kind.rawValue), version: type.version, name: name, payload: payload,
        meaning: payload)
      return read(sample).sample
    }
  }

  /// The sample with what this build reads in it, and what is wrong with that.
  private func read(_ sample: Sample) -> (sample: Sample, findings: [String]) {
    if let finding = unreadable(sample) { return (sample, [finding]) }
    guard let meaning = try? meaning(of: sample) else { return (sample, []) }
    let newest = workers.keys.filter { $0.kind == sample.kind }.max() ?? sample.form
    let difference = difference(sample.meaning, meaning, as: newest)
    guard difference == .content else {
      return (sample, difference == .order ? [Self.reordered(sample)] : [])
    }
    var newer = sample
    newer.meaning = meaning
    return (
      newer,
      [
        "! \(sample.title) means something else",
        "    was \(sample.meaning)", "    is  \(meaning)",
      ]
    )
  }

  /// What tells two payloads of a form apart; by their bytes alone where it has no sample.
  private func difference(_ left: String, _ right: String, as form: Form) -> PayloadDifference {
    if left == right { return .nothing }
    let types = operations.map { Swift.type(of: $0.operation) }
    let type = types.first {
      Self.word($0.kind.rawValue) == form.kind && $0.version == form.version
    }
    return type?.difference(Data(left.utf8), Data(right.utf8)) ?? .content
  }

  private static func reordered(_ sample: Sample) -> String {
    "~ \(sample.title) has another order: where that is a set, make the operation Equatable"
  }

  private func unreadable(_ sample: Sample) -> String? {
    guard workers[sample.form] != nil else { return "- \(sample.title): no worker reads it" }
    do {
      _ = try meaning(of: sample)
      return nil
    } catch {
      let cause = (error as? UnreadablePayload)?.cause ?? error
      return "- \(sample.title) cannot be read: \(cause)"
    }
  }

  private func meaning(of sample: Sample) throws -> String? {
    try workers[sample.form].map {
      String(decoding: try $0.read(Data(sample.payload.utf8)), as: UTF8.self)
    }
  }
}

// MARK: The file

extension PayloadCorpus {
  private static let heading = "# kind, version, name, payload, what it means; see PayloadCorpus"
  private static let itself = "="

  /// One line for each sample, columns with tabs between them.
  private static func text(of samples: [Sample]) -> String {
    let lines = samples.sorted { ($0.form, $0.name, $0.payload) < ($1.form, $1.name, $1.payload) }
      .map { sample in
        let meaning = sample.meaning == sample.payload ? itself : sample.meaning
        return [sample.kind, "\(sample.version)", sample.name, sample.payload, meaning]
          .joined(separator: "\t")
      }
    return ([heading] + lines).joined(separator: "\n") + "\n"
  }

  private static func samples(in text: String) throws -> [Sample] {
    var samples: [Sample] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty && !line.hasPrefix("# ") {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 5, let version = Int(columns[1]) else {
        throw Unreadable(line: index + 1, text: String(line.prefix(200)))
      }
      samples.append(
        Sample(
          kind: columns[0], version: version, name: columns[2], payload: columns[3],
          meaning: columns[4] == itself ? columns[3] : columns[4]))
    }
    return samples
  }

  /// A text without the marks by which the file is read.
  private static func word(_ text: String) -> String {
    let text = text.isEmpty ? "(empty)" : text
    return String(text.map { $0.isNewline || $0 == "\t" || $0 == "#" ? " " : $0 })
  }

  /// A line of the file has another form.
  public struct Unreadable: Error, CustomStringConvertible, Equatable {
    /// The number of the line, from one.
    public let line: Int
    /// The line.
    public let text: String

    /// Line and text.
    public var description: String { "line \(line) is no sample of a payload: \"\(text)\"" }
  }

  /// Operations on the disks of released builds would not be what they were.
  public struct Broken: Error, CustomStringConvertible, Equatable {
    /// One line or more for each sample.
    public let findings: [String]

    /// All findings, and what to do.
    public var description: String {
      (["waiting operations would not be what they were:"] + findings + [Self.cure])
        .joined(separator: "\n")
    }

    private static let cure = """
      keep a worker for each form (Worker.upcasting), and raise the version where the form \
      changes; what is new or meant is recorded with MAINSTAY_RECORD_PAYLOADS=1 and committed
      """
  }
}
