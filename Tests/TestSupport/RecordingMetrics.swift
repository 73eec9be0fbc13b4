// SPDX-License-Identifier: Apache-2.0

package import Metrics

/// Metrics that keep what they are told, as lines of label, dimensions and value.
package final class RecordingMetrics: MetricsFactory {
  package final class Handler: CounterHandler, MeterHandler, TimerHandler, RecorderHandler {
    fileprivate let name: String
    private let log: Log

    fileprivate init(_ label: String, _ dimensions: [(String, String)], _ log: Log) {
      name = label + "{" + dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ",") + "}"
      self.log = log
    }

    package func increment(by amount: Int64) { log.add("\(name) +\(amount)") }
    package func reset() {}
    package func set(_ value: Int64) { log.add("\(name) =\(value)") }
    package func set(_ value: Double) { log.add("\(name) =\(value)") }
    package func increment(by amount: Double) { log.add("\(name) +\(amount)") }
    package func decrement(by amount: Double) { log.add("\(name) -\(amount)") }
    package func recordNanoseconds(_ duration: Int64) {
      log.add("\(name) \(duration / 1_000_000)ms")
    }
    package func record(_ value: Int64) {}
    package func record(_ value: Double) {}
  }

  package init() {}

  /// What they were told.
  package let log = Log()
  /// The names of the series that were made.
  package let made = Log()

  private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
    let handler = Handler(label, dimensions, log)
    made.add(handler.name)
    return handler
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    handler(label, dimensions)
  }
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    handler(label, dimensions)
  }
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    handler(label, dimensions)
  }
  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { handler(label, dimensions) }

  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
}
