// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres

/// A process that looks, while it ends, whether OpenSSL could still be used.
enum EndingProcess {
  /// Uses a server once.
  ///
  /// The process ends with 3 where OpenSSL has cleared itself away, and with 4 where it is not
  /// there at all.
  static func run(at address: String) async throws {
    // What is said last is done first: what OpenSSL wants done at the end is done before this.
    atexit {
      guard let symbol = dlsym(EndingProcess.everywhere, "OPENSSL_init_crypto") else { _exit(4) }
      typealias Initializer = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
      // It says no once it has cleared itself away.
      if unsafeBitCast(symbol, to: Initializer.self)(0, nil) != 1 { _exit(3) }
    }
    let connection = try await PostgresConnection.open(PostgresAddress(address))
    guard connection.facts.usesTLS else { throw CocoaError(.featureUnsupported) }
    try await connection.query("SELECT 1")
  }

  #if canImport(Darwin)
    private static var everywhere: UnsafeMutableRawPointer? { .init(bitPattern: -2) }
  #else
    private static var everywhere: UnsafeMutableRawPointer? { nil }
  #endif
}
