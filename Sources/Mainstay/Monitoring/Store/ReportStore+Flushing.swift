// SPDX-License-Identifier: Apache-2.0

extension ReportStore {
  /// Sends what waits, whoever is sending just now, and returns when no more of it can be sent: for
  /// a process that is about to end.
  ///
  /// Flush or shut down the monitor first, which hands its reports to the store. It ends early
  /// where there is a pause, since a service has asked for one or gave no answer: what is left then
  /// waits in the folder for the next process.
  ///
  /// - Parameter limit: How long at most it waits for the service; the default is 5 seconds, cut to
  ///   a year. A request of its own is cancelled then, and its reports stay.
  /// - Returns: Whether nothing is left to be sent.
  @discardableResult public func flush(within limit: Duration = .seconds(5)) async -> Bool {
    let end = timeline.now + limit.clamped
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.sendRest() }
      group.addTask { try? await self.timeline.sleep(until: end) }
      await group.next()
      group.cancelAll()
    }
    return await status.pending == 0
  }

  private func sendRest() async {
    // What came at the end of the round of somebody else may not have been seen in it.
    while !Task.isCancelled, await drain() == .busy {
      await roundEnd.wait(until: nil, on: timeline)
    }
  }
}
