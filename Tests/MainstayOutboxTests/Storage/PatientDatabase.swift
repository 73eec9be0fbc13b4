// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport

// On a slow disk whoever writes may hold the file for seconds; that is no reason to fail a test.
extension GRDB.Configuration {
  /// Waits for the lock of a file for as long as it takes.
  static var patient: GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(Duration.patience / .seconds(1))
    return configuration
  }
}

extension DatabaseQueue {
  /// Opens a file, and waits for its lock for as long as it takes.
  convenience init(patientAt url: URL) throws {
    try self.init(path: url.path(percentEncoded: false), configuration: .patient)
  }
}

extension DatabasePool {
  /// Opens a file, and waits for its lock for as long as it takes.
  convenience init(patientAt url: URL) throws {
    try self.init(path: url.path(percentEncoded: false), configuration: .patient)
  }
}
