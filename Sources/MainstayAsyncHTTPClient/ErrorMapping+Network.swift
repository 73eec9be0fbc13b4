// SPDX-License-Identifier: Apache-2.0

#if canImport(Network)
  internal import AsyncHTTPClient
  internal import Foundation
  internal import Mainstay

  extension ErrorMapping {
    /// What the client throws where it runs on Apple's Network framework.
    func addingNetworkFrameworkErrors() -> ErrorMapping {
      adding(HTTPClient.NWPOSIXError.self) { .networkFramework($0) }
        .adding(HTTPClient.NWTLSError.self) { error in
          .wire(
            .secureConnectionFailed, wasSent: false, details: "TLS status \(error.status)",
            cause: error)
        }
    }
  }

  extension AppError {
    /// It does not say whether there was a connection.
    fileprivate static func networkFramework(_ error: HTTPClient.NWPOSIXError) -> AppError? {
      let number = error.errorCode.rawValue
      let mapped = posix(number, cause: error)
      guard endsConnections(number) else { return mapped }
      return mapped?.adding(metadata: ["http.sent": "maybe"])
    }
  }
#endif
