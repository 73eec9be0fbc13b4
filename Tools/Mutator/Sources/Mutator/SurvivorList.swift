// SPDX-License-Identifier: Apache-2.0

/// The mutants that are known to survive, each with the reason why no test can tell it apart.
///
/// A block of the list names the file, what stands there, what the mutant says, and the reason:
///
///     Backoff.swift
///     - let whole = min(grown, cap)
///     + let whole = max(grown, cap)
///     = What comes next cuts it again.
///
/// Where several look the same, the file is followed by `#2` and so on. Lines that begin with `#`
/// say something about the list.
public struct SurvivorList: Sendable {
  /// One known survivor.
  public struct Entry: Sendable {
    /// By what it is known.
    public let key: Mutant.Key
    /// Why no test can tell it from the original.
    public let reason: String
    /// Its first line in the list.
    public let line: Int
  }

  /// All of them, in the order of the list.
  public let entries: [Entry]

  /// Reads a list.
  public init(_ text: String) throws(MutatorFailure) {
    var entries: [Entry] = []
    var block: [(line: Int, text: Substring)] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.allSatisfy(\.isWhitespace) {
        if !block.isEmpty { entries.append(try Self.entry(block)) }
        block = []
      } else if !line.hasPrefix("#") {
        block.append((index + 1, line))
      }
    }
    if !block.isEmpty { entries.append(try Self.entry(block)) }
    self.entries = entries
  }

  private static func entry(
    _ block: [(line: Int, text: Substring)]
  ) throws(MutatorFailure) -> Entry {
    let line = block[0].line
    func part(_ index: Int, _ sign: String) throws(MutatorFailure) -> String {
      guard index < block.count, block[index].text.hasPrefix(sign) else {
        throw .survivors(line: line, "a block is a file, then lines with -, + and =")
      }
      return block[index].text.dropFirst(sign.count).split(separator: " ").joined(separator: " ")
    }
    let words = block[0].text.split(separator: "#")
    let occurrence = words.count > 1 ? Int(words[1]) : 1
    guard let file = words.first, let occurrence else {
      throw .survivors(line: line, "the number after # is none")
    }
    var reason = try part(3, "=")
    for more in block.dropFirst(4).indices { reason += " " + (try part(more, "=")) }
    guard !reason.isEmpty else { throw .survivors(line: line, "there is no reason") }
    let key = Mutant.Key(
      file: file.split(separator: " ").joined(), original: try part(1, "-"),
      mutated: try part(2, "+"), occurrence: occurrence)
    return Entry(key: key, reason: reason, line: line)
  }

  /// The block for a mutant, with the reason still to be said.
  public static func block(for key: Mutant.Key) -> String {
    """
    \(key.file)\(key.occurrence > 1 ? " #\(key.occurrence)" : "")
    - \(key.original)
    + \(key.mutated)
    """
  }
}
