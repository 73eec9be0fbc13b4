// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Verdict {
  /// The table and what is broken, for people.
  package func text(_ plan: Plan) -> String {
    let drain = table.secondsToDrain.map { String(format: "%.1f", $0) } ?? "never"
    let rows: [(String, String)] = [
      ("accepted", "\(table.accepted)"), ("unanswered", "\(table.unanswered)"),
      ("applied", "\(table.applied)"), ("replayed", "\(table.replayed)"),
      ("lost", "\(table.lost)"), ("duplicated", "\(table.duplicated)"),
      ("dead", "\(table.dead)"), ("conflicts", "\(table.conflicts)"),
      ("seconds to drain", drain),
    ]
    let widths = rows.map { max($0.0.count, $0.1.count) }
    var lines = [
      line(rows.map(\.0), widths),
      widths.map { String(repeating: "-", count: $0) }
        .joined(separator: "-+-"),
      line(rows.map(\.1), widths), "",
    ]
    if holds {
      lines.append("All conditions hold: nothing was lost, and nothing was done twice.")
    } else {
      lines += broken.map { "Broken (\($0.condition.rawValue)): \($0.text)" }
    }
    lines.append("Seed \(plan.seed). Repeat it with: \(Self.command(plan))")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The same for programs.
  package func json(_ plan: Plan) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let document = Document(
      seed: plan.seed, scans: plan.size.scans, kills: plan.size.kills, holds: holds, table: table,
      broken: broken)
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }

  private struct Document: Encodable {
    let seed: UInt64
    let scans: Int
    let kills: Int
    let holds: Bool
    let table: Table
    let broken: [Broken]
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).map { String(repeating: " ", count: $1 - $0.count) + $0 }
      .joined(separator: " | ")
  }

  private static func command(_ plan: Plan) -> String {
    let standard = Plan.Size()
    var options = ["--seed \(plan.seed)"]
    if plan.size.scans != standard.scans { options.append("--scans \(plan.size.scans)") }
    if plan.size.kills != standard.kills { options.append("--kills \(plan.size.kills)") }
    return "make demo DEMO_FLAGS='\(options.joined(separator: " "))'"
  }
}
