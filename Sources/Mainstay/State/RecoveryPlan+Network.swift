// SPDX-License-Identifier: Apache-2.0

extension RecoveryPlan.Step {
  /// Waits for a network that went away, for a while.
  ///
  /// It goes on as soon as the monitor hears of a better connection, and looks by itself now and
  /// then, since not every system tells. A connection of which nothing is known counts as one,
  /// unless it was so already when an error said that the app is offline. Afterwards the error
  /// stands.
  ///
  /// - Parameters:
  ///   - monitor: Who knows.
  ///   - checks: How long to wait before each look; each zero or more, the default is 2, 4 and 6
  ///     seconds.
  ///   - clock: The clock; the default is the continuous one.
  /// - Returns: The step, for errors that a network ends.
  public static func awaitingNetwork(
    _ monitor: ConnectivityMonitor,
    checks: [Duration] = [.seconds(2), .seconds(4), .seconds(6)],
    clock: some Clock<Duration> = ContinuousClock()
  ) -> RecoveryPlan.Step {
    let checks = checks.map { max($0, .zero).clamped }
    // The step ends by itself; the limit is for what never comes back.
    let limit = checks.reduce(.seconds(10)) { ($0 + $1).clamped }
    let timeline = Timeline(clock)
    return .init(
      "wait for the network", for: .offline, .network, within: limit, clock: clock
    ) { error in
      let before = monitor.current.standing
      let isBack = await withTaskGroup(of: Bool.self) { group in
        let improvements = monitor.improvements
        group.addTask {
          for await _ in improvements { return true }
          return false
        }
        group.addTask {
          for wait in checks {
            do { try await timeline.sleep(until: timeline.now + wait) } catch { return false }
            let standing = monitor.current.standing
            if standing == .online { return true }
            // Whoever knows nothing does not contradict the error.
            let isNews = standing != before || error.kind != .offline
            if standing.isWorthTrying, isNews { return true }
          }
          return false
        }
        defer { group.cancelAll() }
        return await group.next() ?? false
      }
      guard isBack else { throw error }
    }
  }
}
