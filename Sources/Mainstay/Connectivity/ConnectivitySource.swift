// SPDX-License-Identifier: Apache-2.0

/// What tells a ``ConnectivityMonitor`` how the system is connected.
///
/// `NetlinkSource` on Linux and `PathSource` on Apple's systems are the two that a monitor uses by
/// itself; tests use `ScriptedConnectivitySource` of MainstayTesting.
public protocol ConnectivitySource: Sendable {
  /// Begins to tell what the system says; called once, before everything else.
  ///
  /// It tells how things stand at once, and again after each change. Where the system refuses, it
  /// tells that nothing is known: that counts as online.
  ///
  /// - Parameter tell: Takes what the system says, from any thread, one call after the other.
  func start(_ tell: @escaping @Sendable (Connectivity.Observation) -> Void)

  /// Looks at everything anew, such as after the device has slept.
  ///
  /// It tells how things stand, also where nothing has changed: somebody may wait for that.
  func resync()

  /// Ends; nothing is told from some moment soon after, and all that it holds is given back.
  func stop()
}
