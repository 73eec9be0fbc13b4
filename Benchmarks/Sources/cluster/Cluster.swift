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
    var fastest = Duration.seconds(3600)
    var ids: [MessageClusters.Cluster.ID] = []
    for _ in 0..<max(rounds, 1) {
      let clusters = MessageClusters(similarity: similarity, maximumClusters: 100_000)
      let start = ContinuousClock.now
      ids = messages.map { clusters.add($0).id }
      fastest = min(fastest, start.duration(to: .now))
    }
    let known = Dictionary(
      ids.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    print(fastest / .seconds(1))
    for id in ids { print(known[id] ?? -1) }
  }
}
