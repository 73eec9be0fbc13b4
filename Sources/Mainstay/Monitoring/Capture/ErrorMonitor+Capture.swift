// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorMonitor {
  /// Tells the team about an error.
  ///
  /// It never throws, and waits for nothing but sinks that were made to write critical reports at
  /// once. Errors of any type are welcome, and cancellations are left out. The same ``AppError``
  /// counts once in whatever group, and so does the same object, such as an `NSError`. Of errors
  /// that come in floods only the first are told. Other errors have no identity: each capture of
  /// one is another failure.
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
  ///   duplicate, captured while errors are described or sent, or after `shutDown`. An error that
  ///   is suppressed, or that the app drops, has an identity and no report.
  @discardableResult
  public func capture(
    _ error: any Error, message: String? = nil, during operation: String? = nil,
    category: String? = nil, metadata: [String: ErrorReport.Attachment] = [:],
    severity: Severity? = nil, isHandled: Bool = true, group: String? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> UUID? {
    let remarks = Remarks(
      message: message, operation: operation, category: category, metadata: metadata,
      severity: severity, isHandled: isHandled, group: group, fileID: fileID, function: function,
      line: line)
    return take(error, remarks, .usual)
  }

  /// Tells the team about an error, and returns when the sinks that write files have it on the
  /// disk: for code that knows that the process is about to end.
  ///
  /// ```swift
  /// monitor.captureNow(error)
  /// fatalError("\(error)")
  /// ```
  ///
  /// It waits for ``ErrorReport/StoreSink`` and ``ErrorReport/FileSink`` as long as the disk takes;
  /// other sinks are handed the report as by `capture`. It is told also where its group has had its
  /// share, with the count of those that were not told. What `capture` had before is told and
  /// counted once more, with the same identity, since its first report may still wait in memory.
  /// What `captureNow` had before is a duplicate, and nothing is written then. It is not for signal
  /// handlers: it takes locks and memory.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - message: A technical remark, redacted.
  ///   - operation: What was being done, such as "Save item": one of few names, without values.
  ///   - category: The part of the app or service, such as "storage".
  ///   - metadata: Technical values, private unless marked public.
  ///   - severity: How bad it is; by default `critical` where nobody deals with it, so that
  ///     services for crashes are told whatever the error says, and else what the error says.
  ///   - isHandled: Whether somebody deals with it; the default is false.
  ///   - group: A name of your own for the group that it belongs to; see ``Fingerprint``.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  /// - Returns: The identity of the failure; nil where it was left out, as by `capture`.
  @discardableResult
  public func captureNow(
    _ error: any Error, message: String? = nil, during operation: String? = nil,
    category: String? = nil, metadata: [String: ErrorReport.Attachment] = [:],
    severity: Severity? = nil, isHandled: Bool = false, group: String? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> UUID? {
    let remarks = Remarks(
      message: message, operation: operation, category: category, metadata: metadata,
      severity: severity ?? (isHandled ? nil : .critical), isHandled: isHandled, group: group,
      fileID: fileID, function: function, line: line)
    return take(error, remarks, .now)
  }

  /// What a caller says about an error.
  fileprivate struct Remarks {
    let message: String?
    let operation: String?
    let category: String?
    let metadata: [String: ErrorReport.Attachment]
    let severity: Severity?
    let isHandled: Bool
    let group: String?
    let fileID: String
    let function: String
    let line: Int
  }

  private func take(_ error: any Error, _ said: Remarks, _ urgency: SinkLane.Urgency) -> UUID? {
    defer { keeper?.note() }
    guard let captured = subject(error, said, isLastWord: urgency == .now) else { return nil }
    let sighting = CaptureShard.Machine.Sighting(
      key: captured.fingerprint, operation: said.operation,
      wantsTrace: configuration.takesStacks && captured.isTraced(said.severity),
      isCritical: captured.isCritical(said), isLastWord: urgency == .now,
      now: timeline.now, date: wallClock())
    let shard = shard(of: captured.fingerprint)
    let answer = shard.withLock { $0.capture(sighting) }
    if answer.asksForOperation, let operation = said.operation {
      let name = BoundedText.redacted(operation, to: BoundedText.name)
      shard.withLock { $0.update(captured.fingerprint) { $0.count(operation: name) } }
    }
    for leaving in answer.leaving { tell(leaving) }
    if let due = answer.closingDue { noteUntold(due: due) }
    guard case .told(let suppressed, let takesTrace) = answer.fate else {
      if answer.fate == .suppressed, !noting.isEmpty {
        CaptureScope.enter {
          for sink in noting {
            sink.noteSuppressed(captured.app.code, isHandled: said.isHandled)
          }
        }
      }
      return captured.app.id
    }
    var draft = ReportDraft(captured.app, captured.fingerprint, thrown: error)
    draft.message = said.message
    draft.operation = said.operation
    draft.category = said.category
    draft.metadata = said.metadata
    draft.severity = said.severity
    draft.isHandled = said.isHandled
    draft.suppressed = suppressed
    draft.stack = takesTrace ? StackTrace.current() : []
    keep(draft, in: shard, urgency, isCritical: sighting.isCritical)
    return captured.app.id
  }

  /// An error as it is mapped; nil where it is left out.
  private func subject(_ error: any Error, _ said: Remarks, isLastWord: Bool) -> Subject? {
    if let error = error as? AppError {
      guard error.disposition != .cancelled else { return nil }
      guard isOpen, isNew(error.id, isLastWord: isLastWord) else { return nil }
      let isPlain = said.group == nil && error.underlying.isEmpty
      return isPlain
        ? Subject(error, fingerprints.fingerprint(of: error))
        : CaptureScope.enter { Subject(error, Fingerprint(of: error, key: said.group)) }
    }
    if error is CancellationError { return nil }
    guard isOpen else { return nil }
    let site = SourceSite(fileID: said.fileID, function: said.function, line: said.line)
    let captured = CaptureScope.enter { identify(error, key: said.group, at: site) }
    guard captured.app.disposition != .cancelled,
      isNew(captured.app.id, isLastWord: isLastWord)
    else { return nil }
    return captured
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

    /// Whether its report would be critical.
    fileprivate func isCritical(_ said: Remarks) -> Bool {
      ErrorReport.isCritical(
        said.severity ?? app.severity, app.kind, app.disposition, isHandled: said.isHandled)
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

  /// Whether a failure was not captured before, in whatever group; as a last word it is new unless
  /// it was one before.
  private func isNew(_ id: UUID, isLastWord: Bool) -> Bool {
    // Its bytes are random, unless somebody chose it.
    identities[Int(id.uuid.15) % identities.count].isNew(id, isLastWord: isLastWord)
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

  /// Makes the report, asks the app about it, remembers it and hands it to the sinks.
  ///
  /// Its limit went by whether it is critical before the app is asked.
  private func keep(
    _ draft: ReportDraft, in shard: CaptureShard, _ urgency: SinkLane.Urgency, isCritical: Bool
  ) {
    let trail = currentTrail
    let breadcrumbs = trail.oldestFirst(besides: draft.app.id)
    let (made, decision) = CaptureScope.enter {
      let values = enrich?(draft.app) ?? [:]
      let report = draft.report(breadcrumbs: breadcrumbs, enrichment: values, facts: facts)
      return (report, decide?(report) ?? .keep)
    }
    var report = made
    switch decision {
    case .keep: break
    case .as(let severity): report.fields.severity = severity
    case .drop(let reason):
      shards[0].withLock { $0.drop(reason) }
      let due = shard.withLock {
        $0.discard(report.fingerprint, isCritical: isCritical, carrying: draft.suppressed)
      }
      if let due { noteUntold(due: due) }
      return
    }
    let kept = KeptReport(report)
    let sample = report.trimmed
    shard.withLock { $0.update(report.fingerprint) { $0.keep(sample, isCritical: isCritical) } }
    memory.withLock { memory in
      memory.kept += 1
      memory.history.insert(kept)
    }
    if configuration.errorBreadcrumbs {
      trail.add(ErrorReport.Breadcrumb(of: report, at: wallClock()), of: report.id)
    }
    for lane in lanes { lane.offer(kept, urgency) }
  }
}
