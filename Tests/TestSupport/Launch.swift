// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Starts programs one at a time.
///
/// Tests run side by side, and Foundation has crashed when two of them started a program at once.
public enum Launch {
  private static let turn = Locked(())

  /// Starts a program, after those that are being started.
  public static func run(_ process: Process) throws {
    try turn.withLock { _ in try process.run() }
  }
}
