// SPDX-License-Identifier: Apache-2.0

/// Why a server for tests could not be made; its text says what to do.
public enum ServerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Somebody else listens on the port.
  case portInUse(Int)
  /// The system has no port left on loopback.
  case noFreePort
  /// No certificate could be made.
  case noCertificate(reason: String)

  /// What is wrong, and what to do about it, in English.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "Port \(port) of 127.0.0.1 is in use. Leave out `port:` to get a free one."
    case .noFreePort:
      "No port of 127.0.0.1 is free. Let go of some servers, or wait for old connections to end."
    case .noCertificate(let reason):
      "No certificate could be made: \(reason). Certificates are made by the program openssl."
    }
  }
}
