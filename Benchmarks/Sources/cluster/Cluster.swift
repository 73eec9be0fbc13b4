// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Mainstay

/// Sorts a log into clusters, for the comparison with Drain3 (`Tools/Peers/clusters`).
@main
struct Cluster: ParsableCommand {
  @Argument(help: "A log: in each line the number of its kind, a tab and the message.")
  var path: String
  @Option(help: "Which part of the words must be the same.") var similarity = 0.6
  @Option(help: "How often the log is sorted; the fastest counts.") var rounds = 3

  func run() throws {
    let log = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    let messages = log.split(separator: "\n").map { line in
      String(line.drop { $0 != "\t" }.dropFirst())
    }
    var fastest = Double.infinity
    var ids: [MessageClusters.Cluster.ID] = []
    for _ in 0..<max(rounds, 1) {
      let clusters = MessageClusters(similarity: similarity, maximumClusters: 100_000)
      let start = processorSeconds
      ids = messages.map { clusters.add($0).id }
      fastest = min(fastest, processorSeconds - start)
    }
    let known = Dictionary(
      ids.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    print(fastest)
    for id in ids { print(known[id] ?? -1) }
  }

  /// The time for which this process has run, so that other work on the machine does not count.
  private var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
