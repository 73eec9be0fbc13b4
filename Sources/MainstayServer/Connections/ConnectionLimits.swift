// SPDX-License-Identifier: Apache-2.0

public import HummingbirdCore
public import Logging
import Mainstay
import NIOCore

/// How long a connection may keep its place in a server for nothing.
///
/// What drips in reaches no middleware: it has to be cut off where requests are read. So has an
/// answer that is not read, which keeps all that was made for it. Each that is cut off is counted,
/// and told of in the log, with the address that it came from.
///
/// ```swift
/// let server = Application(
///   router: router, server: .http1(configuration: ConnectionLimits().configuration))
/// ```
public struct ConnectionLimits: Sendable {
  let request: Duration
  let answer: Duration
  private let idle: Duration
  let timeline: Timeline
  let reports: SlowRequestReports

  /// Makes the limits.
  ///
  /// - Parameters:
  ///   - request: How long a head may take from its first byte to its last, and how long a body may
  ///     go on once its request was answered. More than zero, the default is 10 seconds.
  ///   - idle: How long a connection may say nothing at all between requests, or within one. More
  ///     than zero, the default is 60 seconds. An answer that is being made has any time.
  ///   - answer: How long an answer may wait for its reader, once so much of it waits that nothing
  ///     more is written. A reader that takes 32 kB meanwhile has that time again. More than zero,
  ///     the default is 30 seconds.
  ///   - logger: Where it is told what was cut off, each kind at most once a minute.
  ///   - clock: What `request`, `answer` and that minute are measured by.
  public init(
    request: Duration = .seconds(10), idle: Duration = .seconds(60),
    answer: Duration = .seconds(30),
    logger: Logger = Logger(label: "mainstay.server"),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    precondition(request > .zero, "ConnectionLimits(request): it must be more than zero")
    precondition(idle > .zero, "ConnectionLimits(idle): it must be more than zero")
    precondition(answer > .zero, "ConnectionLimits(answer): it must be more than zero")
    self.request = request
    self.answer = answer
    self.idle = idle
    timeline = Timeline(clock)
    reports = SlowRequestReports(logger, timeline)
  }

  /// What a server of Hummingbird is made with, also one with TLS.
  public var configuration: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [SlowRequestInstaller(self)], idleTimeout: TimeAmount(idle))
  }
}
