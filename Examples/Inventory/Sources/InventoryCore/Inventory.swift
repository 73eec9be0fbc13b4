// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
package import MainstayOutbox

/// The whole app without its pages: items, the queue of what the service has to hear, and how
/// everything stands.
///
/// A write returns when it survives a power cut; the service hears of it as soon as it can be
/// reached. `Documentation/Inventory.md` describes the states of an item.
package final class Inventory: Sendable {
  /// Something inside that asks for attention.
  enum Signal: Sendable {
    case outbox(OutboxEvent)
    case connectivity(ConnectivityEvidence.Reading.State)
    case storage
    case failure(AppError)
  }

  package let store: ItemStore
  package let client: UpstreamClient
  package let outbox: Outbox
  package let evidence: ConnectivityEvidence
  package let monitor: ErrorMonitor
  package let feed: ChangeFeed
  let itemNews: ItemNews
  package let levels: Levels
  /// What other processes have, too; nil where this one is alone.
  private let shared: SharedPlaces?
  let dispatcher: Dispatcher
  let departures: Departures
  /// Knows how long the app has been there; it is set when everything that it asks is there.
  let diagnosticsSource: Locked<Diagnostics.Source>
  /// Where the monitor writes its reports.
  let errorFile: URL
  let settings: Settings
  let now: @Sendable () -> Date
  private let signals: AsyncStream<Signal>
  private let signal: AsyncStream<Signal>.Continuation
  /// Somebody has to be told how everything stands.
  private let (news, newsFound) = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let tasks = Locked<[Task<Void, Never>]>([])
  /// How many changes the outbox had lost.
  let handedOverAgain = Locked(0)

  /// Opens the folder, and creates it where it is missing.
  ///
  /// - Parameters:
  ///   - data: The folder; the items and the outbox are two files in it.
  ///   - upstream: Where the service is, such as `http://127.0.0.1:8081`.
  ///   - shared: What several processes have in common instead of those two files; nil for nothing.
  ///   - settings: How it behaves.
  ///   - now: The time of day, for stamps.
  /// - Throws: `InventoryError`, which names the path.
  package init(
    data: URL, upstream: URL, shared: SharedPlaces? = nil, settings: Settings = Settings(),
    now: @escaping @Sendable () -> Date = TimeOfDay.live
  ) async throws(InventoryError) {
    guard ["http", "https"].contains(upstream.scheme?.lowercased()),
      upstream.host()?.isEmpty == false, (1...65_535).contains(upstream.port ?? 80)
    else { throw InventoryError(.address, path: upstream.absoluteString) }
    try Self.prepare(data)
    let (signals, signal) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingNewest(4096))
    let store = try await Self.store(
      data, shared, StorageEvidence { signal.yield(.storage) }, now)
    let evidence = ConnectivityEvidence(since: now()) { signal.yield(.connectivity($0)) }
    let client = UpstreamClient(
      origin: upstream, settings: settings.client, evidence: evidence, now: now)
    let feed = ChangeFeed()
    let itemNews = ItemNews(store, feed)
    departures = Departures(Timeline(settings.clock), isShared: store.place.isShared)
    let worker = ItemWorker(
      store: store, client: client, backoff: settings.backoff,
      maximumAttempts: settings.maximumAttempts, settleTime: settings.settleTime,
      departures: departures,
      probe: settings.probe,
      itemChanged: { await itemNews.tell($0) },
      conflictFound: { await Self.tellConflict($0, store, feed, itemNews) })
    do {
      let configuration = Self.configuration(settings, signal)
      outbox = try await Self.outbox(data, shared, configuration, worker.workers)
    } catch {
      store.close()
      await client.shutDown()
      throw error
    }
    dispatcher = Dispatcher(store: store, outbox: outbox, probe: settings.probe) {
      signal.yield(.failure($0))
    }
    self.store = store
    self.shared = shared
    self.client = client
    self.evidence = evidence
    self.feed = feed
    self.itemNews = itemNews
    self.settings = settings
    levels = Levels(
      settings, evidence: evidence, storage: store.evidence,
      breakers: [client.catalogBreaker, client.twinBreaker], now: now)
    errorFile = data.appending(path: "errors.jsonl")
    monitor = Self.monitor(writingTo: errorFile, now: now)
    self.now = now
    self.signals = signals
    self.signal = signal
    diagnosticsSource = Locked(Diagnostics.Source(monitor))
    let sections = Self.sections(of: self)
    diagnosticsSource.withLock {
      $0 = Diagnostics.Source(monitor, sections: sections, limit: settings.diagnosticsLimit)
    }
  }

  /// Where answers to requests that change no item are kept for all processes; nil for one alone.
  package var answers: (any IdempotencyStore)? { shared?.answers }

  /// Takes up what an earlier run left, and begins to watch.
  ///
  /// - Throws: `AppError` where the files cannot be read.
  package func start() async throws(AppError) {
    try await store.prune()
    do {
      try await store.place.settling { isFirst in
        if isFirst { try await settleWithOutbox() } else { try await takeUpDeadLetters() }
      }
    } catch {
      throw AppError.from(error, mapping: .inventory)
    }
    await dispatcher.flush()
    tellOpening()
    let start = Timeline(settings.clock).now
    await outbox.resume()
    // Whoever starts the app again may have signed in.
    _ = try? await outbox.resume(.main, closedFor: .needsUser)
    let tasks = [
      Task { await self.watchSignals() },
      Task { await self.tellStatus() },
      Task { await self.watchOutbox() },
      Task { await self.pullAgainAndAgain(since: start) },
      Task { await self.watchOthers() },
      watchLevels(),
    ]
    self.tasks.withLock { $0 += tasks }
  }

  /// Ends the work and leaves the files; what runs is given back, at no cost.
  package func shutDown() async {
    let tasks = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in tasks { task.cancel() }
    signal.finish()
    levels.controller.end()
    await dispatcher.settle()
    await outbox.shutDown()
    for task in tasks { await task.value }
    await client.shutDown()
    await itemNews.settle()
    store.close()
    await shared?.close()
    await monitor.shutDown()
    feed.end()
  }

  /// - Parameter start: When old answers were last forgotten, by the clock of the settings.
  private func pullAgainAndAgain(since start: Duration) async {
    guard let interval = settings.pullInterval else { return }
    let timeline = Timeline(settings.clock)
    var (pruned, circuits) = (start, [StatusDocument.Circuit]())
    while !Task.isCancelled {
      if timeline.now - pruned >= .seconds(86_400) {
        pruned = timeline.now
        do { try await store.prune() } catch { report(error, during: "Forget old answers") }
      }
      if !levels.isShortOfMemory {
        do { try await pull() } catch { report(error, during: "Pull changes") }
      }
      _ = try? await store.tryAgain()
      await dispatcher.flush()
      // That a break is over is an event to nobody else.
      if let status = try? await status(), status.circuits != circuits {
        circuits = status.circuits
        standingChanged()
      }
      try? await ContinuousClock().sleep(for: interval)
    }
  }

  private func watchOutbox() async {
    for await _ in outbox.changes { standingChanged() }
  }

  /// Tells of each change of level once: pages read why, and that it is over is said besides.
  private func watchLevels() -> Task<Void, Never> {
    let changes = levels.controller.changes
    return Task {
      for await change in changes {
        if !change.isFall {
          feed.tell(
            .toast,
            ToastDocument(
              style: .success, title: "Back again", message: change.notice.description, item: nil))
        }
        standingChanged()
      }
    }
  }

  /// Something has changed that the status document says.
  func standingChanged() { newsFound.yield() }

  /// Tells the status in one place: of two that are read at the same time, the older one would
  /// else be told last now and then.
  ///
  /// To count what waits takes the longer the more there is, and keeps others from the queue. So
  /// the first change is told at once, and while there are more, that takes a fifth of the time.
  private func tellStatus() async {
    let clock = ContinuousClock()
    for await _ in news {
      let start = clock.now
      if let status = try? await status() { feed.tell(.status, status) }
      let rest = min(max(settings.statusInterval, (clock.now - start) * 4), .seconds(1))
      try? await clock.sleep(for: rest)
    }
  }

  private func watchSignals() async {
    for await signal in signals { await heed(signal) }
  }
}
