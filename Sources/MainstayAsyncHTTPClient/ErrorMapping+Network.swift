// SPDX-License-Identifier: Apache-2.0

#if canImport(Network)
  internal import AsyncHTTPClient
  internal import Foundation
  internal import Mainstay

  extension ErrorMapping {
    /// What the client throws where it runs on Apple's Network framework.
    func addingNetworkFrameworkErrors() -> ErrorMapping {
      adding(HTTPClient.NWPOSIXError.self) { .posix($0.errorCode.rawValue, cause: $0) }
        .adding(HTTPClient.NWTLSError.self) { error in
          .wire(
            .secureConnectionFailed, wasSent: false, details: "TLS status \(error.status)",
            cause: error)
        }
    }
  }
#endif
