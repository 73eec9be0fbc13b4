// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// OpenSSL, by which libpq encrypts.
///
/// It clears itself away when a process ends by `exit`, as it does where `main` returns. Sessions
/// live on threads of their own, which go on until the very end: one that opened or closed an
/// encrypted connection meanwhile found a lock that was gone, and the process crashed. What is
/// cleared away is memory alone, and the system takes that back in any case.
enum CryptoLibrary {
  /// Has OpenSSL stay whole until the process is over.
  ///
  /// It decides that once for a process, when somebody uses it for the first time. So this comes
  /// before the first call of libpq that may. Where the app has used OpenSSL before, it is as the
  /// app wanted it; where libpq encrypts by something else, nothing happens.
  static func stayWhole() { _ = hasStayed }

  private static let hasStayed: Bool = {
    // Nobody links OpenSSL but libpq, so it is looked for in what the process has loaded.
    #if canImport(Darwin)
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    guard let symbol = dlsym(everywhere, "OPENSSL_init_crypto") else { return false }
    typealias Initializer = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
    return unsafeBitCast(symbol, to: Initializer.self)(withoutAtExit, nil) == 1
  }()

  /// `OPENSSL_INIT_NO_ATEXIT`, since version 1.1.1.
  private static let withoutAtExit: UInt64 = 0x0008_0000
}
