// SPDX-License-Identifier: Apache-2.0

extension BuiltInMapping {
  /// The numbers of `URLError.Code`; they are the same on every platform.
  ///
  /// A broken connection and a passed limit are `transient` here, since the error does not say
  /// whether the request could be repeated. Who sent it knows better and says `unknownOutcome`.
  static func url(_ code: Int) -> BuiltInError? {
    switch code {
    case -1009, -1018, -1019, -1020: .offline  // not connected, roaming off, on a call, no data
    case -1001: .timeout
    case -1003, -1006: .hostNotFound
    case -1004, -1008, -2000: .unreachable  // no connection, not available, not from the network
    // Lost by the request, or by the process that goes on with it in the background.
    case -1005, -996, -997: .connectionLost
    case -995: .configuration  // a session of an extension without a container
    case -1021: .architecturalViolation  // a body that can be read once was needed again
    case -1200: .secureConnectionFailed
    case -1201, -1202, -1203, -1204, -1205, -1206: .insecure  // certificates
    case -1000, -1002, -1007, -1010, -1022: .badAddress  // malformed, scheme, redirects, clear text
    case -1011, -1014, -1015, -1016, -1017: .badAnswer  // bad or empty answer, not decodable
    case -1012, -1013: .signInRequired
    case -1100, -1101: .fileMissing
    case -1102: .storageDenied
    case -1103: .fileTooLarge
    case -3000, -3001, -3002, -3003, -3004, -3005, -3006, -3007: .storageFailed  // download to file
    default: nil
    }
  }
}
