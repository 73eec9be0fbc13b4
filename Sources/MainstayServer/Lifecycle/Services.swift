// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import MainstayOutbox
public import ServiceLifecycle

/// An outbox that works until the service group shuts down.
///
/// Then it starts nothing more, gives runs the grace to end, and gives back at no cost what has not
/// ended. It stands behind the services that its workers need, so that it is stopped before them: a
/// group stops its services from the last to the first, each once the one after it has ended. What
/// stands after it may take long, so have ``HealthService`` pause the outbox at the beginning.
public struct OutboxService: Service {
  private let outbox: Outbox
  private let grace: Duration

  /// Makes the service.
  ///
  /// - Parameters:
  ///   - outbox: The outbox, which works already.
  ///   - grace: How long runs may take to end; zero or more, the default is 10 seconds.
  public init(_ outbox: Outbox, grace: Duration = .seconds(10)) {
    self.outbox = outbox
    self.grace = grace
  }

  /// Waits for the end, and ends the outbox.
  public func run() async throws {
    await waitForEnd()
    await outbox.suspend(within: grace)
    await outbox.shutDown()
  }
}

/// A monitor of the connection that watches until the service group shuts down.
public struct ConnectivityService: Service {
  private let monitor: ConnectivityMonitor

  /// Makes the service.
  public init(_ monitor: ConnectivityMonitor) {
    self.monitor = monitor
  }

  /// Waits for the end, and ends the monitor.
  public func run() async throws {
    await waitForEnd()
    monitor.shutDown()
  }
}

/// A monitor of errors that is shut down with the service group, once its last reports were sent.
///
/// It stands first, so that it is stopped last and hears of what goes wrong at the end. What is
/// captured after the group has ended well is dropped. Where the group is cancelled, since a
/// service has failed or takes too long, the monitor goes on for what the others still capture.
public struct ErrorMonitorService: Service {
  private let monitor: ErrorMonitor
  private let grace: Duration

  /// Makes the service.
  ///
  /// - Parameters:
  ///   - monitor: The monitor.
  ///   - grace: How long sending the last reports may take; the default is 5 seconds.
  public init(_ monitor: ErrorMonitor, grace: Duration = .seconds(5)) {
    self.monitor = monitor
    self.grace = grace
  }

  /// Waits for the end, sends what was not sent yet, and shuts the monitor down.
  public func run() async throws {
    await waitForEnd()
    let isLast = Task.isShuttingDownGracefully
    // Its own task: the error that has cancelled the group is one that has to be sent.
    await Task { [monitor, grace] in
      if isLast {
        await monitor.shutDown(within: grace)
      } else {
        await monitor.flush(within: grace)
      }
    }.value
  }
}

/// A store of reports that sends until the service group shuts down, and then what is left.
///
/// It stands before the ``ErrorMonitorService`` of the monitor that hands reports to it, so that it
/// is stopped after that and sends the last reports, too. What cannot be sent within the grace
/// stays in the folder for the next process.
public struct ReportStoreService: Service {
  private let store: ReportStore
  private let monitor: ErrorMonitor?
  private let grace: Duration

  /// Makes the service.
  ///
  /// - Parameters:
  ///   - store: The store, which nobody else runs.
  ///   - monitor: The monitor that hands reports to it. Where the group is cancelled all services
  ///     end at once, and then its last reports are waited for; the default, nil, is that they may
  ///     stay in the folder.
  ///   - grace: How long sending what is left may take; zero or more, the default is 5 seconds.
  public init(
    _ store: ReportStore, behind monitor: ErrorMonitor? = nil, grace: Duration = .seconds(5)
  ) {
    self.store = store
    self.monitor = monitor
    self.grace = grace
  }

  /// Sends as reports come, waits for the end, and sends what is left.
  public func run() async throws {
    // Tasks of their own: one that is cancelled with the group would send nothing more.
    let sender = Task { [store] in await store.run() }
    await waitForEnd()
    let isLast = Task.isShuttingDownGracefully
    await Task { [store, monitor, grace] in
      if !isLast { await monitor?.flush(within: grace) }
      await store.flush(within: grace)
    }.value
    sender.cancel()
    await sender.value
  }
}

/// Says that a process is not ready any more once the service group shuts down.
///
/// It stands last, so that it is stopped first, and keeps the group for a while: whoever sends
/// requests hears of it before the server stops listening. Outboxes that it is given start nothing
/// more from then on, however long the server still takes to answer.
public struct HealthService: Service {
  private let health: Health
  private let notice: Duration
  private let outboxes: [Outbox]
  private let clock: any Clock<Duration>

  /// Makes the service.
  ///
  /// - Parameters:
  ///   - health: What says whether the process can serve.
  ///   - notice: How long it is not ready before anything else is stopped; the default is 5
  ///     seconds.
  ///   - outboxes: What is paused at once, by `Outbox.pause()`: what they run goes on, and what is
  ///     enqueued is kept. The default is none: each starts work until its ``OutboxService`` is
  ///     stopped, which is after the server.
  ///   - clock: What tells the time.
  public init(
    _ health: Health, notice: Duration = .seconds(5), pausing outboxes: [Outbox] = [],
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.health = health
    self.notice = notice
    self.outboxes = outboxes
    self.clock = clock
  }

  /// Waits for the end, and gives notice.
  public func run() async throws {
    await waitForEnd()
    health.stop()
    for outbox in outboxes { await outbox.pause() }
    // Cut short, there is no time for notice.
    try? await clock.sleep(for: notice)
  }
}

/// Returns once the group shuts down or the task is cancelled; either is the end.
private func waitForEnd() async {
  try? await gracefulShutdown()
}
