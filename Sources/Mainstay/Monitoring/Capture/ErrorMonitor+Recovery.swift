// SPDX-License-Identifier: Apache-2.0

extension ErrorMonitor {
  /// Tells the team that somebody or something tried to recover from an error (A35, A37).
  ///
  /// It is counted in the error's group and by its code, stands on its report wherever that is, and
  /// is sent to the sinks, unless the app drops all of its group. A cancellation is left out.
  ///
  /// - Parameters:
  ///   - error: The error, as it was captured.
  ///   - succeeded: Whether it worked.
  ///   - operation: What was being done, such as "Save item".
  ///   - action: What the person chose; nil where the app tried by itself.
  ///   - group: The name of the group under which it was captured.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  public func recordRecovery(
    from error: any Error, succeeded: Bool, during operation: String? = nil,
    action: RecoveryAction.ID? = nil, group: String? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) {
    guard !CaptureScope.isInside else { return }
    let site = SourceSite(fileID: fileID, function: function, line: line)
    let subject = CaptureScope.enter { identify(error, key: group, at: site) }
    guard subject.app.disposition != .cancelled else { return }
    let isDropped = shard(of: subject.fingerprint).withLock { machine in
      var isDropped = false
      machine.update(subject.fingerprint) { entry in
        entry.attempts += 1
        if succeeded { entry.successes += 1 }
        isDropped = entry.isDropped
      }
      return isDropped
    }
    recoveries.withLock { $0.add(subject.app.code, succeeded: succeeded) }
    let recovery = ErrorReport.Recovery(
      id: subject.app.id, fingerprint: subject.fingerprint, code: subject.app.code,
      type: ReportDraft.type(of: error, as: subject.app), succeeded: succeeded,
      operation: operation.map { BoundedText.redacted($0, to: BoundedText.name) },
      action: action, time: wallClock().finite)
    let kept = kept(subject)
    // Of what the app drops nobody is told, nor of what became of it.
    if kept == nil, isDropped { return }
    let told = recovery.identified(by: kept?.report)
    if let kept {
      update(kept) { fields in
        fields.recovery = told
        if let action { fields.presentation?.action = action }
      }
    }
    for lane in lanes { lane.offer(told, ofCritical: kept?.isCritical ?? false) }
  }

  /// Remembers what a person saw of an error, and what they chose (A37, A49).
  ///
  /// It stands on the error's report in the history and in its group. Sinks that were not handed
  /// the report so far are handed it with that; the others are told by
  /// ``ErrorReport/Batch/updates``.
  ///
  /// - Parameters:
  ///   - presentation: What they saw.
  ///   - error: The error, as it was captured.
  ///   - group: The name of the group under which it was captured.
  public func recordPresentation(
    _ presentation: ErrorReport.Presentation, of error: any Error, group: String? = nil
  ) {
    guard !CaptureScope.isInside else { return }
    let subject = CaptureScope.enter { identify(error, key: group, at: SourceSite()) }
    // Made anew: what was set on it later is neither redacted nor cut.
    let presentation = ErrorReport.Presentation(
      style: presentation.style, titleKey: presentation.titleKey, action: presentation.action,
      time: presentation.time ?? wallClock())
    if let kept = kept(subject) { update(kept) { $0.presentation = presentation } }
  }

  /// The report of a failure, or the newest of its group where the failure itself has none: most
  /// foreign errors have no identity of their own.
  private func kept(_ subject: Subject) -> KeptReport? {
    memory.withLock { memory in
      memory.history.newest { $0.id == subject.app.id }
        ?? memory.history.newest { $0.fingerprint == subject.fingerprint }
    }
  }

  /// Something was learned of a report: everybody who has it finds it, or is told.
  private func update(_ kept: KeptReport, _ change: (inout ErrorReport.Fields) -> Void) {
    let handed = kept.update(change)
    shard(of: kept.fingerprint).withLock { machine in
      machine.update(kept.fingerprint) { entry in
        // Read under this lock, so that of two changes the later one stays.
        entry.replace(with: kept.report.trimmed) { $0.id == kept.id }
      }
    }
    for lane in lanes where handed.contains(lane.number) { lane.offer(update: kept) }
  }

  /// Runs an operation; where it fails, tells the team, tries to recover, tells the team how that
  /// went, and throws the error again unless it went well (A38).
  ///
  /// ```swift
  /// try await monitor.attempt("Save item") { try await store.save(item) } recover: { error in
  ///   await store.reopen()
  /// }
  /// ```
  ///
  /// Both run where the caller runs. A cancellation is thrown again at once, without a word. What
  /// `recover` throws is captured too, unless it is a cancellation, and means that it did not work.
  ///
  /// - Parameters:
  ///   - operation: What is done, such as "Save item".
  ///   - category: The part of the app or service, such as "storage".
  ///   - metadata: Technical values, private unless marked public.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  ///   - body: What is run.
  ///   - recover: Tries to recover from the error; returns whether it worked.
  /// - Returns: What the operation returns; nil where it failed and was recovered from.
  /// - Throws: What the operation throws, where it was not recovered from.
  @discardableResult
  public func attempt<T, E: Error>(
    _ operation: String, category: String? = nil,
    metadata: [String: ErrorReport.Attachment] = [:],
    fileID: String = #fileID, function: String = #function, line: Int = #line,
    _ body: () async throws(E) -> T, recover: (E) async throws -> Bool
  ) async throws(E) -> T? {
    do {
      return try await body()
    } catch {
      if isCancellation(error) { throw error }
      // Mapped once, so that report and recovery have the same identity.
      let app = appError(for: error, fileID: fileID, function: function, line: line)
      capture(
        app, during: operation, category: category, metadata: metadata,
        fileID: fileID, function: function, line: line)
      let isRecovered: Bool
      do {
        isRecovered = try await recover(error)
      } catch let failure {
        if isCancellation(failure) { throw error }
        isRecovered = false
        capture(
          failure, message: "while recovering", during: operation, category: category,
          fileID: fileID, function: function, line: line)
      }
      recordRecovery(
        from: app, succeeded: isRecovered, during: operation,
        fileID: fileID, function: function, line: line)
      if isRecovered { return nil }
      throw error
    }
  }

  private func isCancellation(_ error: any Error) -> Bool {
    guard let mapping else { return error.isCancellation }
    return ErrorMapping.with(mapping) { error.isCancellation }
  }

  private func appError(
    for error: any Error, fileID: String, function: String, line: Int
  ) -> AppError {
    let app = (mapping ?? .current).map(error, fileID: fileID, function: function, line: line)
    return known(app, as: error)
  }
}

extension ErrorReport.Recovery {
  /// The same for a report in the history, where there is one.
  fileprivate func identified(by report: ErrorReport?) -> Self {
    guard let report, report.id != id else { return self }
    return Self(
      id: report.id, fingerprint: fingerprint, code: code, type: type, succeeded: succeeded,
      operation: operation ?? report.operation, action: action, time: time)
  }
}
