// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The tables, written out again by numbers or names.
private let urlRows: [(ErrorCode, [Int])] = [
  ("network.offline", [-1009, -1018, -1019, -1020]), ("network.timeout", [-1001]),
  ("network.host-not-found", [-1003, -1006]), ("network.unreachable", [-1004, -1008, -2000]),
  ("network.connection-lost", [-1005, -996, -997]), ("configuration.invalid", [-995]),
  ("framework.architectural-violation", [-1021]), ("network.secure-connection-failed", [-1200]),
  ("network.insecure", [-1201, -1202, -1203, -1204, -1205, -1206]),
  ("network.bad-address", [-1000, -1002, -1007, -1010, -1022]),
  ("network.bad-answer", [-1011, -1014, -1015, -1016, -1017]),
  ("network.sign-in-required", [-1012, -1013]), ("storage.not-found", [-1100, -1101]),
  ("storage.denied", [-1102]), ("storage.too-large", [-1103]),
  ("storage.failed", Array(-3007 ... -3000)), ("cancelled", [-999]), ("unknown", [-1, -998, -42]),
]

/// All codes of Foundation, by name.
private let urlCodes: [URLError.Code] = [
  .appTransportSecurityRequiresSecureConnection, .backgroundSessionInUseByAnotherProcess,
  .backgroundSessionRequiresSharedContainer, .backgroundSessionWasDisconnected,
  .badServerResponse, .badURL, .callIsActive, .cancelled, .cannotCloseFile, .cannotConnectToHost,
  .cannotCreateFile, .cannotDecodeContentData, .cannotDecodeRawData, .cannotFindHost,
  .cannotLoadFromNetwork, .cannotMoveFile, .cannotOpenFile, .cannotParseResponse,
  .cannotRemoveFile, .cannotWriteToFile, .clientCertificateRejected, .clientCertificateRequired,
  .dataLengthExceedsMaximum, .dataNotAllowed, .dnsLookupFailed, .downloadDecodingFailedMidStream,
  .downloadDecodingFailedToComplete, .fileDoesNotExist, .fileIsDirectory, .httpTooManyRedirects,
  .internationalRoamingOff, .networkConnectionLost, .noPermissionsToReadFile,
  .notConnectedToInternet, .redirectToNonExistentLocation, .requestBodyStreamExhausted,
  .resourceUnavailable, .secureConnectionFailed, .serverCertificateHasBadDate,
  .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .serverCertificateUntrusted,
  .timedOut, .unsupportedURL, .userAuthenticationRequired, .userCancelledAuthentication,
  .zeroByteResource,
]

private let posixRows: [(ErrorCode, [POSIXErrorCode])] = [
  ("network.offline", [.ENETDOWN, .ENETUNREACH]),
  ("network.unreachable", [.ECONNREFUSED, .EHOSTDOWN, .EHOSTUNREACH, .EADDRNOTAVAIL]),
  (
    "network.connection-lost",
    [.ECONNRESET, .ECONNABORTED, .EPIPE, .ENETRESET, .ENOTCONN, .ESHUTDOWN]
  ),
  ("network.timeout", [.ETIMEDOUT]), ("storage.full", [.ENOSPC, .EDQUOT]),
  ("storage.denied", [.EACCES, .EPERM]), ("storage.read-only", [.EROFS]),
  ("storage.not-found", [.ENOENT, .ENOTDIR]), ("storage.exists", [.EEXIST]),
  ("storage.too-large", [.EFBIG]), ("storage.bad-name", [.ENAMETOOLONG]),
  ("storage.in-use", [.EBUSY, .ETXTBSY]), ("storage.failed", [.EIO, .ENXIO, .ENODEV, .ESTALE]),
  ("system.busy", [.EINTR, .EAGAIN, .ENOBUFS]), ("system.exhausted", [.EMFILE, .ENFILE, .ENOMEM]),
  ("cancelled", [.ECANCELED]), ("unknown", [.EINVAL, .EDOM]),
]

private let cocoaRows: [(ErrorCode, [Int])] = [
  ("storage.not-found", [4, 260]), ("storage.denied", [257, 513]), ("storage.full", [640]),
  ("storage.read-only", [642]), ("storage.exists", [516]), ("storage.too-large", [263]),
  ("storage.in-use", [255]), ("storage.corrupted", [259]), ("storage.bad-name", [258, 514]),
  ("network.bad-address", [262, 518]), ("storage.failed", [256, 512]),
  ("data.decoding", [3840, 3841, 3842, 261, 264, 4864, 4865]),
  ("data.encoding", [3851, 3852, 517, 4866]), ("cancelled", [3072]), ("unknown", [1, 99_999]),
]

@Suite struct BuiltInMappingTests {
  @Test(.requirement("E14", "B14"), arguments: urlRows.indices)
  func `each code of URLError has its row`(_ index: Int) {
    let (code, numbers) = urlRows[index]
    for number in numbers {
      let object = NSError(domain: "NSURLErrorDomain", code: number)
      #expect(AppError.from(object).code == code, "\(number)")
      #expect(AppError.from(URLError(_nsError: object)).code == code, "\(number)")
    }
  }

  @Test(arguments: urlCodes) func `no code of URLError but its own unknown is unknown`(
    _ code: URLError.Code
  ) {
    #expect(AppError.from(URLError(code)).code != "unknown")
    #expect(AppError.from(URLError(.unknown)).code == "unknown")
  }

  @Test(.requirement("B14"), arguments: posixRows.indices)
  func `each code of POSIX has its row`(_ index: Int) {
    let (code, posix) = posixRows[index]
    for number in posix {
      let object = NSError(domain: NSPOSIXErrorDomain, code: Int(number.rawValue))
      #expect(AppError.from(POSIXError(number)).code == code, "\(number)")
      #expect(AppError.from(object).code == code, "\(number)")
    }
  }

  @Test(.requirement("B14"), arguments: cocoaRows.indices)
  func `each code of CocoaError has its row`(_ index: Int) {
    let (code, numbers) = cocoaRows[index]
    for number in numbers {
      #expect(AppError.from(CocoaError(CocoaError.Code(rawValue: number))).code == code)
      #expect(AppError.from(NSError(domain: NSCocoaErrorDomain, code: number)).code == code)
    }
  }

  @Test(arguments: ["NSURLErrorDomain", NSPOSIXErrorDomain, NSCocoaErrorDomain])
  func `numbers that nobody uses stop nothing`(_ domain: String) {
    for number in [Int.min, Int.max, 0, -1, Int(Int32.max) + 1] {
      #expect(!AppError.from(NSError(domain: domain, code: number)).title.isBlank)
    }
  }

  @Test func `a vague wrapper of Foundation speaks for its cause`() {
    let cause = POSIXError(.ENOSPC)
    let error = NSError(
      domain: NSCocoaErrorDomain, code: 512, userInfo: [NSUnderlyingErrorKey: cause])
    #expect(AppError.from(error).code == "storage.full")
    #expect(AppError.from(error).cause(as: POSIXError.self)?.code == .ENOSPC)
  }

  @Test(.requirement("E14", "E11")) func `a decoding failure says where, for the log alone`() throws
  {
    struct Book: Decodable { let pages: [Int] }
    let thrown = #expect(throws: DecodingError.self) {
      try decode([String: Book].self, #"{"a/b": {"pages": [1, "two"]}}"#)
    }
    let error = AppError.from(try #require(thrown))
    #expect(error.code == "data.decoding")
    #expect(error.disposition == .permanent)
    #expect(error.metadata["decoding.path"] == "/a~1b/pages/1")
    #expect(error.details?.contains("expected Swift.Int") == true)
    #expect(!error.message.string().contains("pages"))
  }

  @Test func `an encoding failure says where, for the log alone`() throws {
    let thrown = #expect(throws: EncodingError.self) { try JSONEncoder().encode(["a": Double.nan]) }
    let error = AppError.from(try #require(thrown))
    #expect(error.code == "data.encoding")
    #expect(error.metadata["encoding.path"] == "/a")
  }

  /// Every text that can come from a built-in row, read as an editor would.
  @Test(.requirement("T21", "A51", "A52", "B1", "B3", "E10", "E11", "E34"))
  func `every built-in text can be read by a person`() throws {
    var patterns: [String: String] = [:]
    for error in Self.everyError {
      let title = error.title.string()
      let message = error.message.string()
      #expect(!title.isEmpty && !title.lowercased().contains("error"), "\(title)")
      #expect(message != title)
      #expect(!title.hasSuffix("."), "\(title)")
      #expect(title.first?.isUppercase == true)
      #expect(message.hasSuffix("."), "\(message)")
      let texts = [error.title, error.message] + [error.suggestion].compactMap(\.self)
      for text in texts {
        let words = text.string()
        #expect(!words.isEmpty)
        #expect(!words.contains { $0.isNumber } || !text.arguments.isEmpty, "\(words)")
        #expect(!words.contains("  ") && !words.contains("'"), "\(words)")
        let key = try #require(text.key)
        #expect(patterns.updateValue(text.pattern, forKey: key).map { $0 == text.pattern } ?? true)
      }
      if error.disposition != .cancelled {
        let suggestion = try #require(error.suggestion).string()
        #expect(suggestion.hasSuffix("."), "\(suggestion)")
        #expect(suggestion != message)
      }
      #expect(error.actions.contains { $0.id == RecoveryAction.dismiss.id })
    }
    #expect(patterns.count > 60)
  }

  private static var everyError: [AppError] {
    let url = urlRows.flatMap(\.1).map { NSError(domain: "NSURLErrorDomain", code: $0) }
    let posix = posixRows.flatMap(\.1).map {
      NSError(domain: NSPOSIXErrorDomain, code: Int($0.rawValue))
    }
    let cocoa = cocoaRows.flatMap(\.1).map { NSError(domain: NSCocoaErrorDomain, code: $0) }
    let mapped = (url + posix + cocoa).map { AppError.from($0) }
    let answers = (100..<600).flatMap { status in
      [
        AppError.http(status: status, isRepeatable: true),
        .http(status: status, isRepeatable: true, retryAfter: .seconds(90)),
        .http(status: status, isRepeatable: false),
      ]
    }
    let problem = "x/idempotency-in-progress"
    return mapped + answers + [
      .cancelled(), .offline(), .timeout(), .unauthorized(), .portal(), .unknown(TextError(nil)),
      .offline().with(disposition: .unknownOutcome), .http(status: 409, problemType: problem),
    ]
  }
}
