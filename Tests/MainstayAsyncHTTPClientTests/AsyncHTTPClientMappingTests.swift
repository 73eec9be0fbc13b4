// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayHTTPTesting
import MainstayTesting
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@Suite struct AsyncHTTPClientMappingTests {
  private let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  struct Row: Sendable {
    let error: any Error
    let code: String
    let disposition: Disposition
    let sent: Bool?

    init(_ error: any Error, _ code: String, _ disposition: Disposition, sent: Bool?) {
      self.error = error
      self.code = code
      self.disposition = disposition
      self.sent = sent
    }
  }

  private static func rows(
    _ errors: [any Error], _ code: String, _ disposition: Disposition, sent: Bool?
  ) -> [Row] {
    errors.map { Row($0, code, disposition, sent: sent) }
  }

  /// Each error of the client but those that it says it no longer throws.
  static let client: [Row] =
    rows(
      [HTTPClientError.cancelled, .requestStreamCancelled, .alreadyShutdown] as [HTTPClientError],
      "cancelled", .cancelled, sent: nil)
    + rows(
      [
        .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
        .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
      ] as [HTTPClientError], "network.timeout", .transient(), sent: false)
    + rows(
      [.readTimeout, .writeTimeout, .deadlineExceeded] as [HTTPClientError], "network.timeout",
      .transient(), sent: true)
    + rows(
      [.remoteConnectionClosed, .uncleanShutdown] as [HTTPClientError],
      "network.connection-lost", .transient(), sent: true)
    + rows(
      [HTTPClientError.invalidProxyResponse], "network.unreachable", .transient(), sent: false)
    + rows(
      [HTTPClientError.proxyAuthenticationRequired], "network.sign-in-required", .needsUser,
      sent: false)
    + rows(
      [HTTPClientError.serverOfferedUnsupportedApplicationProtocol("h9")],
      "network.secure-connection-failed", .transient(), sent: false)
    + rows(
      [.invalidURL, .emptyHost, .emptyScheme, .unsupportedScheme("gopher"), .missingSocketPath]
        as [HTTPClientError], "network.bad-address", .permanent, sent: false)
    + rows(
      [.redirectLimitReached, .redirectCycleDetected] as [HTTPClientError], "network.bad-address",
      .permanent, sent: true)
    + rows(
      [
        .invalidRedirectConfiguration, .invalidHTTPVersionConfiguration,
        .invalidDNSOverridesConfiguration, .invalidLocalAddress, .invalidProxyConfiguration,
      ] as [HTTPClientError], "configuration.invalid", .permanent, sent: false)
    + rows(
      [
        .identityCodingIncorrectlyPresent, .contentLengthMissing, .traceRequestWithBody,
        .invalidHeaderFieldNames(["a b"]), .invalidHeaderFieldValues(["token\r\n"]),
        .shutdownUnsupported,
      ] as [HTTPClientError], "framework.architectural-violation", .permanent, sent: false)
    + rows(
      [.bodyLengthMismatch, .writeAfterRequestSent, .internalStateFailure()] as [HTTPClientError],
      "framework.architectural-violation", .permanent, sent: true)

  static let channel: [Row] =
    rows([ChannelError.connectTimeout(.seconds(1))], "network.timeout", .transient(), sent: false)
    + rows(
      [ChannelError.connectPending, ChannelError.writeHostUnreachable], "network.unreachable",
      .transient(), sent: false)
    + rows(
      [.ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed, .eof] as [ChannelError],
      "network.connection-lost", .transient(), sent: true)
    + rows(
      [
        .operationUnsupported, .writeMessageTooLarge, .unknownLocalAddress,
        .badMulticastGroupAddressFamily, .badInterfaceAddressFamily,
        .inappropriateOperationForState, .unremovableHandler,
      ] as [ChannelError], "framework.architectural-violation", .permanent, sent: nil)
    + rows(
      [EventLoopError.cancelled, EventLoopError.shutdown], "cancelled", .cancelled, sent: nil)
    + rows(
      [EventLoopError.unsupportedOperation, EventLoopError.shutdownFailed],
      "framework.architectural-violation", .permanent, sent: nil)

  private static func io(_ number: Int32, _ reason: String = "x") -> IOError {
    IOError(errnoCode: number, reason: reason)
  }

  /// What SwiftNIO says of a connection that is to be made.
  private static let connecting = [
    "connect(descriptor:addr:size:)", "finishing a non-blocking connect failed",
  ]
  /// What it says of one that is there; the second one also of one that is to be made.
  private static let connected = [
    "read(descriptor:pointer:size:)", "connection reset (error set)", "so_error",
    "write(descriptor:pointer:size:)",
  ]

  static let system: [Row] =
    rows(
      connecting.flatMap { [io(ENETUNREACH, $0), io(ENETDOWN, $0)] }, "network.offline",
      .transient(), sent: false)
    + rows(
      connecting.flatMap { [io(EHOSTUNREACH, $0), io(EHOSTDOWN, $0)] }, "network.unreachable",
      .transient(), sent: false)
    + rows(
      connected.flatMap { [io(ENETUNREACH, $0), io(ENETDOWN, $0)] }, "network.offline",
      .transient(), sent: true)
    + rows(
      connected.flatMap { [io(EHOSTUNREACH, $0), io(EHOSTDOWN, $0)] }, "network.unreachable",
      .transient(), sent: true)
    + rows(
      [io(ECONNREFUSED), io(EADDRNOTAVAIL)], "network.unreachable", .transient(), sent: false)
    + rows(
      [io(ECONNRESET), io(EPIPE), io(ENOTCONN), io(ECONNABORTED)], "network.connection-lost",
      .transient(), sent: true)
    + rows([io(ETIMEDOUT)], "network.timeout", .transient(), sent: true)
    + rows([io(EMFILE), io(ENOMEM)], "system.exhausted", .transient(), sent: nil)
    + rows([io(ECANCELED)], "cancelled", .cancelled, sent: nil)
    + rows([io(EPROTO)], "unknown", .unclassified, sent: nil)
    + rows(
      [
        SocketAddressError.unsupported, SocketAddressError.unixDomainSocketPathTooLong,
        SocketAddressError.failedToParseIPString("x"),
      ], "network.bad-address", .permanent, sent: false)

  static let parser: [Row] =
    rows(
      [HTTPParserError.invalidEOFState, HTTPParserError.closedConnection],
      "network.connection-lost", .transient(), sent: true)
    + rows(
      [
        .invalidCharactersUsed, .trailingGarbage, .headerOverflow, .invalidVersion, .invalidStatus,
        .invalidMethod, .invalidURL, .lfExpected, .invalidHeaderToken, .invalidContentLength,
        .unexpectedContentLength, .invalidChunkSize, .invalidConstant, .invalidInternalState,
        .strictModeAssertion, .paused, .unknown,
      ] as [HTTPParserError], "network.bad-answer", .permanent, sent: true)
    + rows(
      [NIOHTTPDecoderError.unsolicitedResponse, NIOTooManyBytesError(maxBytes: 9)],
      "network.bad-answer", .permanent, sent: true)

  static let tls: [Row] =
    rows(
      [
        .unableToValidateCertificate, .noCertificateToValidate, .cannotMatchULabel,
        .cannotFindPeerIP,
      ] as [NIOSSLError], "network.insecure", .permanent, sent: false)
    + rows(
      [
        NIOSSLExtraError.failedToValidateHostname, NIOSSLExtraError.serverHostnameImpossibleToMatch,
      ],
      "network.insecure", .permanent, sent: false)
    + rows(
      [
        NIOSSLError.handshakeFailed(.syscallError), NIOSSLError.handshakeFailed(.zeroReturn),
      ], "network.secure-connection-failed", .transient(), sent: false)
    + rows([BoringSSLError.syscallError], "network.connection-lost", .transient(), sent: true)
    + rows(
      [
        .uncleanShutdown, .shutdownFailed(.syscallError), .writeDuringTLSShutdown,
        .readInInvalidTLSState,
      ] as [NIOSSLError], "network.connection-lost", .transient(), sent: true)
    + rows(
      [.noSuchFilesystemObject, .failedToLoadCertificate, .failedToLoadPrivateKey] as [NIOSSLError],
      "configuration.invalid", .permanent, sent: false)
    + rows(
      [NIOSSLExtraError.unknownPrivateKeyFileType], "configuration.invalid", .permanent,
      sent: false)
    + rows(
      [NIOSSLExtraError.cannotUseIPAddressInSNI, NIOSSLExtraError.invalidSNIHostname],
      "network.bad-address", .permanent, sent: false)

  private static func closed(_ code: HTTP2ErrorCode) -> NIOHTTP2Errors.StreamClosed {
    NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: code)
  }

  static let http2: [Row] =
    rows([closed(.refusedStream)], "network.overloaded", .transient(), sent: false)
    + rows([closed(.enhanceYourCalm)], "network.slow-down", .throttled(), sent: true)
    + rows([closed(.http11Required)], "configuration.invalid", .permanent, sent: false)
    + rows(
      [closed(.inadequateSecurity)], "network.secure-connection-failed", .transient(), sent: true)
    + rows(
      [.noError, .internalError, .settingsTimeout, .streamClosed, .cancel, .connectError].map(
        closed), "network.connection-lost", .transient(), sent: true)
    + rows(
      [
        .protocolError, .flowControlError, .frameSizeError, .compressionError,
        HTTP2ErrorCode(networkCode: 0xabcd),
      ].map(closed), "network.bad-answer", .permanent, sent: true)
    + rows(
      [
        NIOHTTP2Errors.createdStreamAfterGoaway(), NIOHTTP2Errors.noStreamIDAvailable(),
        NIOHTTP2Errors.maxStreamsViolation(),
      ], "network.connection-lost", .transient(), sent: false)
    + rows(
      [
        NIOHTTP2Errors.ioOnClosedConnection(), NIOHTTP2Errors.noSuchStream(streamID: 1),
        NIOHTTP2Errors.excessiveOutboundFrameBuffering(),
        NIOHTTP2Errors.streamError(
          streamID: 1, baseError: NIOHTTP2Errors.ioOnClosedConnection()),
      ], "network.connection-lost", .transient(), sent: true)
    + rows(
      [NIOHTTP2Errors.invalidALPNToken()], "network.secure-connection-failed", .transient(),
      sent: false)
    + rows(
      [NIOHTTP2Errors.missingMultiplexer()], "framework.architectural-violation", .permanent,
      sent: false)
    + rows(
      [
        NIOHTTP2Errors.unableToParseFrame(), NIOHTTP2Errors.receivedBadSettings(),
        NIOHTTP2Errors.flowControlViolation(), NIOHTTP2Errors.contentLengthViolated(),
        NIOHTTP2Errors.forbiddenHeaderField(name: "connection", value: "s3cret"),
      ], "network.bad-answer", .permanent, sent: true)

  static let all = client + channel + system + parser + tls + http2

  @Test(.requirement("B14", "T13", "D32"), arguments: all.indices)
  func `each error of the libraries says what happened`(_ index: Int) {
    let row = Self.all[index]
    let mapped = mapping.map(row.error)
    #expect(mapped.code.rawValue == row.code, "\(row.error)")
    #expect(mapped.disposition == row.disposition, "\(row.error)")
    let sent = row.sent.map { $0 ? "maybe" : "no" }
    #expect(mapped.metadata["http.sent"] == sent, "\(row.error)")
    #expect(mapped.mayHaveBeenSent == (row.sent != false))
    #expect(mapped.underlying.contains { type(of: $0) == type(of: row.error) }, "\(row.error)")
  }

  @Test(.requirement("A41", "B32")) func `none of them has no conversion`() {
    let known = Self.all.filter { $0.disposition != .unclassified }.map(\.error)
    #expect(MappingCensus(of: known, mapping: mapping).gaps.isEmpty)
    // Without the mapping all of them would be unknown, never "network".
    #expect(MappingCensus(of: known, mapping: .standard).gaps.count > 8)
  }

  @Test(.requirement("B14"), .ends(withinMinutes: 2))
  func `an answer that cannot be unpacked, or is too long, is a bad one`() async throws {
    let server = try await LoopbackServer { _, _ in
      .reply(200, headers: [("Content-Encoding", "gzip")], body: Data(repeating: 7, count: 99))
    }
    let client = HTTPClient(configuration: .singletonConfiguration)
    let packed = await #expect(throws: (any Error).self) {
      let response = try await client.execute(
        HTTPClientRequest(url: server.origin), timeout: .minutes(10))
      _ = try await response.body.collect(upTo: 1_000)
    }
    let long = await #expect(throws: (any Error).self) {
      try await client.execute(
        request: .init(url: server.origin),
        delegate: ResponseAccumulator(
          request: .init(url: server.origin), maxBodySize: 9)
      ).get()
    }
    try await client.shutdown()
    for error in [packed, long] {
      let mapped = mapping.map(try #require(error))
      #expect(mapped.code == "network.bad-answer", "\(mapped)")
      #expect(mapped.mayHaveBeenSent)
    }
  }

  @Test(.requirement("E8")) func `what was stopped is a cancellation wherever it is asked`() {
    ErrorMapping.with(mapping) {
      #expect(HTTPClientError.cancelled.isCancellation)
      #expect(EventLoopError.cancelled.isCancellation)
      #expect(!HTTPClientError.deadlineExceeded.isCancellation)
    }
  }

  @Test(.requirement("D31")) func `values of a request stand in no details`() {
    let mapped = mapping.map(HTTPClientError.invalidHeaderFieldValues(["Bearer abc\r\n"]))
    #expect(mapped.details?.contains("abc") == false)
    #expect(
      mapping.map(HTTPClientError.unsupportedScheme("s3cret")).details?.contains("s3") == false)
    let field = NIOHTTP2Errors.forbiddenHeaderField(name: "cookie", value: "s3cret")
    #expect(mapping.map(field).details == "HTTP/2: ForbiddenHeaderField")
  }

  @Test func `a refused connection and a name that nobody knows are told apart`() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let port = try HeldPort()
    // To look a name up may take long, too.
    let client = ClientBootstrap(group: group).connectTimeout(.minutes(10))
    let refused = await #expect(throws: (any Error).self) {
      try await client.connect(host: "127.0.0.1", port: port.number).get()
    }
    #expect(mapping.map(try #require(refused)).code == "network.unreachable")
    withExtendedLifetime(port) {}
    let unknown = await #expect(throws: (any Error).self) {
      try await client.connect(host: "not a host", port: 80).get()
    }
    let mapped = mapping.map(try #require(unknown))
    #expect(mapped.code == "network.host-not-found")
    #expect(!mapped.mayHaveBeenSent)
    let lookup = #expect(throws: SocketAddressError.UnknownHost.self) {
      try SocketAddress.makeAddressResolvingHost("not a host", port: 80)
    }
    #expect(mapping.map(try #require(lookup)).code == "network.host-not-found")
  }
}
