// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Mainstay

extension Outbox {
  /// How an outbox behaves.
  ///
  /// Settings that stand in the code are checked when the outbox is opened, and stop the program;
  /// those that come from outside go through ``Outbox/init(at:validating:clock:now:workers:)``. All
  /// keys may be missing; `null` for `maximumPending` means any number, and without `maximumBytes`
  /// any size is legal:
  ///
  /// ```json
  /// {"maximumConcurrency": 4, "maximumPending": 100000, "maximumBytes": 100000000,
  ///  "maximumOutcomes": 1000, "maximumPayloadBytes": 1000000, "startsPaused": false,
  ///  "maximumConcurrencyOfKinds": {"photo": 1}, "ageing": 3600}
  /// ```
  ///
  /// <doc:ChangingSettings> says which of them can change while the outbox works.
  public struct Configuration: Sendable {
    /// How many operations run at once; 1 or more, the default is 4.
    ///
    /// One whose work has ended well does not count while its end is on the way to the store.
    public var maximumConcurrency = 4
    /// How many operations of a kind run at once, where that is not what its worker says; 1 or more
    /// each, the default is that it is for all kinds.
    ///
    /// Each version of a kind counts by itself. A kind without a worker changes nothing. One whose
    /// work has ended well does not count, as for ``maximumConcurrency``: where the order matters,
    /// use an ordering key.
    public var maximumConcurrencyOfKinds: [OperationKind: Int] = [:]
    /// How many unfinished operations it takes; 1 or more, or nil for any number.
    ///
    /// More are refused with ``OutboxError/Code/full``, unless what has expired or is expendable
    /// makes room; the default is 100,000.
    public var maximumPending: Int? = 100_000
    /// How large the payloads of unfinished operations may be together, in bytes; 1 or more, or
    /// nil, the default, for any size.
    public var maximumBytes: Int?
    /// How many operations that have ended are remembered, with what their workers returned; zero
    /// or more, the default is 1,000.
    ///
    /// It is how long an ``OperationHandle`` can tell what became of its operation.
    public var maximumOutcomes = 1000
    /// How large a payload may be, in bytes; 1 or more, the default is one million.
    public var maximumPayloadBytes = 1_000_000
    /// How long newer operations of the next higher priority overtake an older one; zero or more,
    /// the default is an hour.
    ///
    /// With zero, priorities do not matter.
    public var ageing = Duration.seconds(3600)
    /// What knows about the network; the default is nothing.
    ///
    /// With it, operations that wait because of the network are tried once that has become better.
    /// ``OperationConstraint/network`` and ``OperationConstraint/unmetered`` follow what it says,
    /// and it is told what became of each run that goes over the network. It holds nothing else
    /// back. It is not a part of the encoded settings.
    ///
    /// A run that went well shows that the network works where a `ResilientClient` was answered in
    /// it, by another than this device, or its operation has one of these constraints. It does so,
    /// too, where its worker names a host (``Worker/calling(_:)``), or an error of its kind has
    /// told of the network before. An error says so with its HTTP status, or its kind.
    public var connectivity: ConnectivityMonitor?
    /// Has an element each time that somebody has signed in, such as `signIns` of
    /// `HTTPAuthorization`; nil, the default, for nothing.
    ///
    /// All lanes go on then that were closed since a person was needed. Without it, one operation
    /// of such a lane is tried when the outbox is opened and every few minutes:
    /// <doc:OperationLifecycle> says when. Give each outbox a sequence of its own. It is not a part
    /// of the encoded settings.
    public var signedIn: (any AsyncSequence<Void, Never> & Sendable)?
    /// What does not hold when the outbox is opened; the default is nothing.
    ///
    /// See ``Outbox/set(_:isMet:)``. It is not a part of the encoded settings.
    public var unmetConstraints: Set<OperationConstraint> = []
    /// Whether it starts nothing before ``Outbox/resume()``; the default is false.
    ///
    /// For apps that have to put something in order first, such as files of their own.
    public var startsPaused = false
    /// Whether the file may lie in the container of an app group, which extensions share; the
    /// default is false, and such a file is refused: ``OutboxError/Code/unavailable``.
    ///
    /// A system ends an app that is suspended while it holds a lock of such a file, and an outbox
    /// holds one until it is shut down: see <doc:AppleLifecycle>. It counts on Apple platforms, and
    /// is not a part of the encoded settings.
    public var allowsAppGroup = false
    /// How the errors of workers are classified; nil, the default, for `ErrorMapping.current`.
    ///
    /// It is not a part of the encoded settings.
    public var mapping: ErrorMapping?
    /// Who is told about events; the default is nobody.
    ///
    /// It is not a part of the encoded settings.
    public var observer: (any OutboxObserver)?

    /// Who is handed the error of each operation that is given up, as of a dead letter somebody has
    /// to decide; nil, the default, for nobody.
    ///
    /// Each is written to ``logger`` at `error` and counted in `mainstay.outbox.given_up` in any
    /// case. So is what is given up for want of it, but not by a store in memory. It is not a part
    /// of the encoded settings.
    public var monitor: ErrorMonitor?

    /// What runs after the first one of an operation are paid from, and the attempts of a `Retry`
    /// inside a worker; nil, the default, for no limit but each operation's own backoff.
    ///
    /// Give it the budget of the dependency that the workers call, so that the operations that wait
    /// for a network do not all stampede once it is back. A run that cannot be paid for waits, with
    /// its lane, and counts no attempt. It is not a part of the encoded settings.
    public var budget: RetryBudget?

    /// Makes the circuit breaker of a host that workers call (``Worker/calling(_:)``), once for
    /// each when the outbox is opened; nil, the default, for one of that name that opens after five
    /// failures in a row.
    ///
    /// The name has small letters. It is not a part of the encoded settings.
    public var circuitOfHost: (@Sendable (_ host: String) -> CircuitBreaker)?

    /// Where workers write (``WorkerContext/logger``), and what was given up or parked is told;
    /// nil, the default, for one with the label `mainstay.outbox`.
    ///
    /// A store that fails is told at `warning` when that begins, then after 1, 3 and 7 minutes and
    /// so on, each hour at last, and its return at `notice`. A damaged file of which a part was
    /// saved, and a ledger that does not balance, are told at `error`, and handed to ``monitor``.
    ///
    /// It is not a part of the encoded settings.
    public var logger: Logger?

    /// After how long the log says at `warning` that the runs of a kind fail for want of their
    /// service, with how many operations are pending; more than zero, the default is 15 minutes.
    ///
    /// It says so again after twice, four times and so on of that. That they begin to fail, and
    /// that they work again, is told at `notice`, and so not for each run. It is not a part of the
    /// encoded settings.
    public var stallWarning = Duration.seconds(900)

    /// What seals payloads on the disk; nil, the default, for nothing.
    ///
    /// It is not a part of the encoded settings.
    public var codec: (any PayloadCodec)?

    /// Makes the default configuration.
    public init() {}
  }
}

extension Outbox.Configuration {
  /// How much a store keeps.
  package var limits: StoreLimits {
    StoreLimits(
      maximumPending: maximumPending, maximumBytes: maximumBytes, maximumOutcomes: maximumOutcomes)
  }

  /// The same, which writes nothing where it was given no logger: what a simulation makes fail is
  /// no news, and would bury its findings.
  package var quiet: Self {
    var quiet = self
    quiet.logger = logger ?? Logger(label: "mainstay.outbox") { _ in SwiftLogNoOpLogHandler() }
    return quiet
  }

  /// Stops the program where something is not legal.
  func mustBeLegal() {
    do throws(ConfigurationError) {
      try validate()
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Notes everything that is not legal.
  func check(_ found: inout Violations) {
    let more = "it must be 1 or more"
    found.check(maximumConcurrency >= 1, "maximumConcurrency", maximumConcurrency, more)
    for (kind, most) in maximumConcurrencyOfKinds.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    {
      found.check(most >= 1, "maximumConcurrencyOfKinds.\(kind)", most, more)
    }
    if let maximumPending {
      found.check(
        maximumPending >= 1, "maximumPending", maximumPending,
        "it must be 1 or more, or nil for any number")
    }
    if let maximumBytes {
      found.check(
        maximumBytes >= 1, "maximumBytes", maximumBytes,
        "it must be 1 or more, or nil for any size")
    }
    found.check(
      maximumOutcomes >= 0, "maximumOutcomes", maximumOutcomes, "it must be zero or more")
    found.check(maximumPayloadBytes >= 1, "maximumPayloadBytes", maximumPayloadBytes, more)
    found.check(ageing >= .zero, "ageing", ageing, "it must be zero or more")
    found.check(stallWarning > .zero, "stallWarning", stallWarning, "it must be more than zero")
  }
}

extension Outbox.Configuration: Codable {
  private enum CodingKeys: CodingKey {
    case maximumConcurrency, maximumConcurrencyOfKinds, maximumPending, maximumBytes,
      maximumOutcomes, maximumPayloadBytes, startsPaused, ageing
  }

  /// Decodes the settings; a key that is missing gets its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    maximumConcurrency = try values.decode(.maximumConcurrency, default: maximumConcurrency)
    let ofKinds = try values.decode(.maximumConcurrencyOfKinds, default: [String: Int]())
    for (kind, most) in ofKinds { maximumConcurrencyOfKinds[OperationKind(rawValue: kind)] = most }
    if values.contains(.maximumPending) {
      maximumPending = try values.decode(Int?.self, forKey: .maximumPending)
    }
    maximumBytes = try values.decodeIfPresent(Int.self, forKey: .maximumBytes)
    maximumOutcomes = try values.decode(.maximumOutcomes, default: maximumOutcomes)
    maximumPayloadBytes = try values.decode(.maximumPayloadBytes, default: maximumPayloadBytes)
    startsPaused = try values.decode(.startsPaused, default: startsPaused)
    ageing = try values.decodeSeconds(.ageing) ?? ageing
  }

  /// Encodes the settings, but for what is named above.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(maximumConcurrency, forKey: .maximumConcurrency)
    let ofKinds = maximumConcurrencyOfKinds.map { ($0.key.rawValue, $0.value) }
    try values.encode(
      Dictionary(uniqueKeysWithValues: ofKinds), forKey: .maximumConcurrencyOfKinds)
    try values.encode(maximumPending, forKey: .maximumPending)
    try values.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
    try values.encode(maximumOutcomes, forKey: .maximumOutcomes)
    try values.encode(maximumPayloadBytes, forKey: .maximumPayloadBytes)
    try values.encode(startsPaused, forKey: .startsPaused)
    try values.encodeSeconds(ageing, .ageing)
  }
}
