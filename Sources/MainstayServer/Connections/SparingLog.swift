// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Mainstay

/// Tells of what strangers cause, each kind at most once in an interval, so that nobody can fill
/// the log.
package final class SparingLog<Kind: Hashable & Sendable>: Sendable {
  private struct Story {
    var told: Duration
    var untold = 0
  }

  private let logger: Logger
  private let timeline: Timeline
  private let interval: Duration
  private let stories = Locked<[Kind: Story]>([:])

  package init(_ logger: Logger, _ timeline: Timeline, interval: Duration = .seconds(60)) {
    self.logger = logger
    self.timeline = timeline
    self.interval = interval
  }

  /// Says that it happened, or counts it as untold.
  package func add(_ kind: Kind, _ message: Logger.Message, _ metadata: Logger.Metadata) {
    let now = timeline.now
    let untold: Int? = stories.withLock { stories in
      if let story = stories[kind], now - story.told < interval {
        stories[kind]?.untold += 1
        return nil
      }
      let untold = stories[kind]?.untold ?? 0
      stories[kind] = Story(told: now)
      return untold
    }
    guard let untold else { return }
    logger.warning(message, metadata: metadata.merging(["untold": "\(untold)"]) { $1 })
  }
}
