// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import Metrics
import NIOCore

/// Counts and tells of what was cut off.
struct SlowRequestReports: Sendable {
  private let log: SparingLog<SlowRequestStateMachine.Part>
  private let counters: [SlowRequestStateMachine.Part: Counter]

  init(_ logger: Logger, _ timeline: Timeline) {
    log = SparingLog(logger, timeline)
    let parts = SlowRequestStateMachine.Part.allCases.map { part in
      (part, Counter(label: "mainstay.server.cut", dimensions: [("part", part.rawValue)]))
    }
    counters = Dictionary(uniqueKeysWithValues: parts)
  }

  func add(
    _ part: SlowRequestStateMachine.Part, peer: SocketAddress?, path: String?
  ) {
    counters[part]?.increment()
    var metadata: Logger.Metadata = ["part": "\(part.rawValue)"]
    metadata["peer"] = "\(Visit.peer(peer))"
    if let path { metadata["path"] = "\(Visit.path(path))" }
    log.add(part, "A slow request was cut off.", metadata)
  }
}
