// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorMonitor {
  /// Tells the team about an error.
  ///
  /// It never throws and never waits. Errors of any type are welcome; cancellations are left out,
  /// the same ``AppError`` counts once in whatever group, and so does the same object, such as an
  /// `NSError`; of errors that come in floods only the first are told. Other errors have no
  /// identity: each capture of one is another failure.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - message: A technical remark, redacted.
  ///   - operation: What was being done, such as "Save item": one of few names, without values.
  ///   - category: The part of the app or service, such as "storage".
  ///   - metadata: Technical values, private unless marked public.
  ///   - severity: How bad it is; by default what the error says.
  ///   - isHandled: Whether somebody deals with it; the default is true.
  ///   - group: A name of your own for the group that it belongs to; see ``Fingerprint``.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  /// - Returns: The identity of the failure; nil where it was left out: a cancellation, a
  ///   duplicate, or captured while errors are described or sent.
  @discardableResult
  public func capture(
    _ error: any Error, message: String? = nil, during operation: String? = nil,
    category: String? = nil, metadata: [String: ErrorReport.Attachment] = [:],
    severity: Severity? = nil, isHandled: Bool = true, group: String? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> UUID? {
    let captured: Subject
    if let error = error as? AppError {
      guard error.disposition != .cancelled else { return nil }
      guard isOpen, isNew(error.id) else { return nil }
      let isPlain = group == nil && error.underlying.isEmpty
      captured =
        isPlain
        ? Subject(error, fingerprints.fingerprint(of: error))
        : CaptureScope.enter { Subject(error, Fingerprint(of: error, key: group)) }
    } else {
      if error is CancellationError { return nil }
      guard isOpen else { return nil }
      let site = SourceSite(fileID: fileID, function: function, line: line)
      captured = CaptureScope.enter { identify(error, key: group, at: site) }
      guard captured.app.disposition != .cancelled, isNew(captured.app.id) else { return nil }
    }
    let sighting = CaptureShard.Machine.Sighting(
      key: captured.fingerprint, operation: operation,
      wantsTrace: configuration.takesStacks && captured.isTraced(severity),
      now: timeline.now, date: wallClock())
    let shard = shard(of: captured.fingerprint)
    let answer = shard.withLock { $0.capture(sighting) }
    if answer.asksForOperation, let operation {
      let name = BoundedText.redacted(operation, to: BoundedText.name)
      shard.withLock { $0.update(captured.fingerprint) { $0.count(operation: name) } }
    }
    guard case .told(let suppressed, let takesTrace) = answer.fate else { return captured.app.id }
    var draft = ReportDraft(captured.app, captured.fingerprint, thrown: error)
    draft.message = message
    draft.operation = operation
    draft.category = category
    draft.metadata = metadata
    draft.severity = severity
    draft.isHandled = isHandled
    draft.suppressed = suppressed
    draft.stack = takesTrace ? StackTrace.current() : []
    keep(draft, in: shard)
    return captured.app.id
  }

  /// An error as it is mapped, and its group.
  struct Subject {
    let app: AppError
    let fingerprint: Fingerprint

    init(_ app: AppError, _ fingerprint: Fingerprint) {
      self.app = app
      self.fingerprint = fingerprint
    }

    func isTraced(_ severity: Severity?) -> Bool {
      (severity ?? app.severity) == .critical || app.disposition == .unclassified
    }
  }

  /// An error as it is mapped; asks it, the mapping and its causes.
  func identify(_ error: any Error, key: String? = nil, at site: SourceSite) -> Subject {
    guard let mapping else {
      let app = ErrorMapping.current.map(error, at: site)
      return Subject(known(app, as: error), Fingerprint(of: error, key: key))
    }
    return ErrorMapping.with(mapping) {
      let app = mapping.map(error, at: site)
      return Subject(known(app, as: error), Fingerprint(of: error, key: key))
    }
  }

  /// What an error was mapped to, with the identity that the error has had before: each mapping of
  /// an object makes another one.
  func known(_ app: AppError, as error: any Error) -> AppError {
    // Through `AnyObject`, since a direct cast gives something that is not the object.
    guard let object = ErrorObject.of(error) as? ObjectIdentities.Object else { return app }
    let place = Int(UInt(bitPattern: ObjectIdentifier(object).hashValue) % UInt(identities.count))
    let id = identities[place].identity(of: object, new: app.id)
    guard id != app.id else { return app }
    var copy = app
    copy.fields.id = id
    return copy
  }

  func shard(of fingerprint: Fingerprint) -> CaptureShard {
    shards[Int(UInt(bitPattern: fingerprint.hashValue) % UInt(shards.count))]
  }

  /// Whether a failure was not captured before, in whatever group.
  private func isNew(_ id: UUID) -> Bool {
    // Its bytes are random, unless somebody chose it.
    identities[Int(id.uuid.15) % identities.count].isNew(id)
  }

  /// Whether an error may be captured here and now; one that may not is counted.
  private var isOpen: Bool {
    if CaptureScope.isInside {
      shards[0].withLock { $0.drop(.ownFailure) }
      return false
    }
    if isShutDown {
      shards[0].withLock { $0.drop(.shutDown) }
      return false
    }
    return true
  }

  /// Makes the report, remembers it and hands it to the sinks.
  private func keep(_ draft: ReportDraft, in shard: CaptureShard) {
    let breadcrumbs = breadcrumbs
    let report = CaptureScope.enter {
      let values = enrich?(draft.app) ?? [:]
      return draft.report(breadcrumbs: breadcrumbs, enrichment: values, facts: facts)
    }
    let kept = KeptReport(report)
    let sample = report.trimmed
    shard.withLock { $0.update(report.fingerprint) { $0.sample = sample } }
    memory.withLock { memory in
      memory.kept += 1
      memory.history.insert(kept)
    }
    for lane in lanes { lane.offer(kept) }
  }

  /// What happened lately, the oldest first.
  public var breadcrumbs: [ErrorReport.Breadcrumb] {
    trail.withLock { trail in
      if let snapshot = trail.snapshot { return snapshot }
      let snapshot = trail.ring.oldestFirst
      trail.snapshot = snapshot
      return snapshot
    }
  }

  /// Remembers something that happened, for the reports that come after it.
  ///
  /// - Parameters:
  ///   - message: What happened, such as "opened the list"; redacted.
  ///   - category: The part of the app, such as "navigation".
  ///   - severity: How remarkable it is; the default is `info`.
  ///   - metadata: Technical values, private unless marked public; 8 are kept.
  public func addBreadcrumb(
    _ message: String, category: String? = nil, severity: Severity = .info,
    metadata: [String: ErrorReport.Attachment] = [:]
  ) {
    let breadcrumb = ErrorReport.Breadcrumb(
      time: wallClock(), message: message, category: category, severity: severity,
      metadata: metadata)
    trail.withLock { trail in
      trail.ring.insert(breadcrumb)
      trail.snapshot = nil
    }
  }
}
