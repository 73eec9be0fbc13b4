// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import ChildSupport
  import Foundation
  import Mainstay
  import MainstayOutbox
  import MainstayTesting
  import NetworkTestSupport

  /// What one scenario plays with: an app on the near end, and how to change both ends.
  final class Stage {
    /// Behind the far end, so that it is reached by the default route alone.
    static let service = "http://10.9.1.2:8080"
    /// Where the machine is busy, a short limit would be a second fault.
    static let patience = Duration.seconds(100)
    private static let limit = Duration.seconds(1)

    let source = NetlinkSource()
    let folder: URL
    /// Reaches the service without a network.
    let control: LedgerClient
    private let peer: String
    /// The time by which an answer is waited for.
    private let clock: ManualClock
    private let caller: Caller
    private var started: (monitor: ConnectivityMonitor, told: Told, shown: Told)?
    private var opened: Outbox?

    init(peer: String, folder: URL) async throws {
      self.peer = peer
      self.folder = folder
      let path = folder.appending(path: "peer").path(percentEncoded: false)
      let legal = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
      let host = path.addingPercentEncoding(withAllowedCharacters: legal) ?? ""
      control = LedgerClient(
        to: "http+unix://\(host)", connectLimit: Self.patience, limit: Self.patience)
      let clock = ManualClock()
      self.clock = clock
      caller = Caller(Self.client(connecting: Self.patience, clock))
      while (try? await book()) == nil { Self.rest(10) }
      waitForCarrier()
    }

    // MARK: The app

    /// What calls the service now.
    var client: LedgerClient { caller.client }

    private static func client(connecting limit: Duration, _ clock: ManualClock) -> LedgerClient {
      LedgerClient(
        to: service, connectLimit: limit, limit: Self.limit, isLimitedByPolicy: true, clock: clock)
    }

    /// From now on nobody waits for a connection for longer than an instant, or as long as anybody
    /// may have to.
    func waitForConnections(_ isPatient: Bool) {
      caller.client = Self.client(
        connecting: isPatient ? Self.patience : .milliseconds(300), clock)
    }

    /// The time of all calls is over that wait for an answer.
    func giveUp() { clock.advance(by: Self.limit) }

    /// Begins to watch the network; presentation follows at once, so that its changes are counted.
    func watch(
      _ configuration: ConnectivityMonitor.Configuration = .prompt, probes: Bool = true,
      probeLimit: Duration = Stage.patience
    ) {
      let probe = URL(string: "\(Self.service)/alive").map { url in
        ConnectivityProbe(url, timeout: probeLimit) { [caller] in
          try await caller.client.probe($0)
        }
      }
      let monitor = ConnectivityMonitor(
        configuration, source: source, probe: probes ? probe : nil)
      started = (monitor, Told(monitor.updates), Told(monitor.presentation))
    }

    /// Opens the outbox; an operation waits so long after a failure.
    func open(waiting wait: Duration) async throws {
      var configuration = Outbox.Configuration()
      configuration.mapping = LedgerClient.mapping
      configuration.connectivity = started?.monitor
      opened = try await Outbox(
        at: folder.appending(path: "outbox.sqlite"), configuration: configuration
      ) { LedgerClient.worker(waiting: wait) { [caller] in caller.client } }
    }

    var monitor: ConnectivityMonitor {
      guard let started else { fatalError("nobody watches yet") }
      return started.monitor
    }

    var told: Told {
      guard let started else { fatalError("nobody watches yet") }
      return started.told
    }

    var shown: Told {
      guard let started else { fatalError("nobody watches yet") }
      return started.shown
    }

    var outbox: Outbox {
      guard let opened else { fatalError("the outbox is not open yet") }
      return opened
    }

    @discardableResult func enqueue(
      _ number: Int, account: String = "account", constraints: Set<OperationConstraint> = []
    ) async throws -> OperationID {
      var options = EnqueueOptions(orderedBy: account)
      options.constraints = constraints
      return try await outbox.enqueue(Change(account: account, number: number), options: options)
    }

    /// Returns once nothing waits any more.
    func drained() async {
      for await snapshot in outbox.changes where snapshot.pending == 0 { return }
    }

    /// Returns once the operation is as it is to be.
    func until(
      _ id: OperationID, _ isReached: (StoredOperation) -> Bool
    ) async throws -> StoredOperation {
      while true {
        if let operation = try await outbox.operation(id), isReached(operation) {
          return operation
        }
        Self.rest(5)
      }
    }

    // MARK: The service

    func book() async throws -> LedgerBook {
      let text = try await control.send("GET", "/book")
      return try JSONDecoder().decode(LedgerBook.self, from: Data(text.utf8))
    }

    func set(_ manner: LedgerManner) async throws {
      _ = try await control.send("PUT", "/manner/\(manner.rawValue)")
    }

    /// Returns once the service knows what is to be known.
    func until(_ isReached: (LedgerBook) -> Bool) async throws {
      while !isReached(try await book()) { Self.rest(5) }
    }

    // MARK: The network

    /// Changes the near end; on return the kernel has done it.
    func near(_ words: String) { run(["ip"] + words.split(separator: " ").map(String.init)) }

    /// Changes the far end; on return the kernel has done it.
    func far(_ words: String) {
      run(["nsenter", "-t", peer, "-n", "ip"] + words.split(separator: " ").map(String.init))
    }

    private func run(_ words: [String]) {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      do { try process.run() } catch { exit(3) }
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        print("failed: \(words.joined(separator: " "))")
        exit(3)
      }
    }

    /// The kernel says that a cable is plugged in up to a second after it is.
    private func waitForCarrier() {
      while !isUp("v0") { Self.rest(20) }
    }

    private func isUp(_ name: String) -> Bool {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["ip", "-o", "link", "show", name]
      process.standardOutput = output
      do { try process.run() } catch { exit(3) }
      let text = (try? output.fileHandleForReading.readToEnd()) ?? Data()
      process.waitUntilExit()
      return String(decoding: text, as: UTF8.self).contains("state UP")
    }

    // MARK: Time and its end

    /// Lets real time pass, for what must not happen.
    static func rest(_ milliseconds: Int32) {
      fflush(nil)
      poll(nil, 0, milliseconds)
    }

    /// Says what became of everything.
    func end() async throws {
      Self.rest(200)
      let book = try await book()
      print("told=\(told.line)")
      print("shown=\(shown.line)")
      let networks = Set(told.values.map(\.network)).count
      print("networks=\(networks) falseClaims=\(monitor.falseClaims)")
      print("numbers=\(book.numbers(of: "account").map(\.description).joined(separator: ","))")
      print(
        "arrivals=\(book.arrivals.count) questions=\(book.questions.count)",
        "late=\(book.lateAnswers)")
      if let opened {
        let ledger = try await opened.ledger()
        print(
          "done=\(ledger.count(.done)) pending=\(ledger.pending) dead=\(ledger.dead)",
          "balanced=\(ledger.isBalanced)")
        await opened.shutDown()
      }
      monitor.shutDown()
      while !source.control.counts.hasEnded { Self.rest(1) }
      print("ended")
    }
  }

  /// Who calls the service, which may be another client later.
  private final class Caller: Sendable {
    private let current: Locked<LedgerClient>

    var client: LedgerClient {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }

    init(_ client: LedgerClient) { current = Locked(client) }
  }

  extension ConnectivityMonitor.Configuration {
    /// What is presented follows at once, and a probe may ask often.
    static let prompt = Self(
      upDelay: .milliseconds(20), downDelay: .milliseconds(20), calmFlips: 100,
      improvementDelay: .milliseconds(20), probeInterval: .milliseconds(100),
      maximumProbeInterval: .milliseconds(100))
  }

  extension Told {
    /// Such as `online:validated offline:unknown`.
    var line: String {
      values.map { "\($0.standing.rawValue):\($0.internet.word)" }.joined(separator: " ")
    }
  }

  extension Connectivity.Internet {
    var word: String {
      switch self {
      case .validated: "validated"
      case .portal: "portal"
      case .unvalidated: "unvalidated"
      case .unknown: "unknown"
      }
    }
  }
#endif
