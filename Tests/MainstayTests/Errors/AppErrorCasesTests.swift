// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Odd: Error {}

/// The ten cases, told apart as an app does it.
private func name(of error: AppError) -> String {
  switch error.kind {
  case .network: "network"
  case .decoding: "decoding"
  case .validation: "validation"
  case .unauthorized: "unauthorized"
  case .server: "server \(error.serverCode ?? 0) \(error.serverMessage ?? "-")"
  case .unknown: "unknown"
  case .healthDenied: "health"
  case .cameraDenied: "camera"
  case .userMissing: "user"
  case .unsupportedProvider: "provider \(error.providerName ?? "")"
  default: "other"
  }
}

@Suite struct AppErrorCasesTests {
  @Test(.requirement("B5", "E13")) func `the ten cases are told apart by their kinds`() {
    let errors: [(AppError, String)] = [
      (.network(URLError(.timedOut)), "network"), (.decoding(Odd()), "decoding"),
      (.validation("The name is missing."), "validation"), (.unauthorized(), "unauthorized"),
      (.server(code: 500, message: "boom"), "server 500 boom"), (.server(code: 7), "server 7 -"),
      (.unknown(message: "The printer hums."), "unknown"), (.healthDenied(), "health"),
      (.cameraDenied(), "camera"), (.userMissing(), "user"),
      (.unsupportedProvider("Acme ID"), "provider Acme ID"),
    ]
    for (error, expected) in errors {
      #expect(name(of: error) == expected)
      #expect(error.site.fileID == "MainstayTests/AppErrorCasesTests.swift")
      #expect(!error.title.isBlank && !error.message.isBlank)
    }
    #expect(AppError.validation("No.", field: "/name").field == "/name")
    #expect(AppError.unknown(message: "The printer hums.").message.string() == "The printer hums.")
    #expect(!AppError.unknown(message: " ").message.isBlank)
    #expect(AppError.cameraDenied().actions.first == .openSettings)
  }

  @Test(.requirement("B5", "B18", "T13")) func `a network failure keeps what its cause says`() {
    let offline = AppError.network(URLError(.notConnectedToInternet))
    #expect(offline.title.string() == "You’re offline")
    #expect(offline.code == "network.failed")
    #expect(offline.disposition == .transient())
    #expect(offline.cause(as: URLError.self)?.code == .notConnectedToInternet)
    #expect(AppError.network(URLError(.secureConnectionFailed)).disposition == .transient())
    #expect(AppError.network(URLError(.serverCertificateUntrusted)).disposition == .permanent)
    #expect(AppError.network(Odd()).title.string() == "The connection failed")
    #expect(AppError.network(POSIXError(.ENOSPC)).title.string() == "The connection failed")
    #expect(AppError.network(URLError(.cancelled)).isCancellation)
    #expect(AppError.network(CancellationError()).isCancellation)
    #expect(AppError.decoding(CancellationError()).isCancellation)
  }

  @Test(.requirement("B5", "B18"))
  func `a network failure never forgets that its cause was classified`() {
    let rows: [(any Error, AppError)] = [
      (AppError.http(status: 401), .http(status: 401)),
      (AppError.http(status: 422), .http(status: 422)),
      (AppError.http(status: 429), .http(status: 429)),
      (URLError(.badURL), .from(URLError(.badURL))),
      (POSIXError(.ENOSPC), .from(POSIXError(.ENOSPC))),
    ]
    for (cause, classified) in rows {
      let error = AppError.network(cause)
      #expect(error.disposition == classified.disposition, "\(cause)")
      #expect(error.severity == classified.severity, "\(cause)")
      #expect(error.actions == classified.actions, "\(cause)")
      #expect(error.message == classified.message, "\(cause)")
      #expect(error.suggestion == classified.suggestion, "\(cause)")
      #expect(error.kind == .network)
      #expect(error.title.string() == "The connection failed")
    }
    #expect(AppError.network(Odd()).disposition == .transient())
    #expect(AppError.network(AppError.unknown(Odd())).disposition == .transient())
    #expect(AppError.network(AppError.Data.migrationFailed()).severity == .critical)
  }

  @Test(.requirement("B5", "E14")) func `a code of a server is read as HTTP where it may be one`() {
    #expect(AppError.server(code: 503, isRepeatable: true).disposition == .transient())
    #expect(AppError.server(code: 503, isRepeatable: false).disposition == .unknownOutcome)
    #expect(AppError.server(code: 404).disposition == .permanent)
    #expect(AppError.server(code: 404).kind == .server)
    #expect(AppError.server(code: 12).disposition == .unclassified)
    #expect(AppError.server(code: .min).code == "server.failed")
    #expect(AppError.server(code: .max).serverCode == .max)
    #expect(AppError.http(status: 404).serverCode == 404)
    #expect(AppError.offline().serverCode == nil)
    #expect(!AppError.server(code: 1, message: "SELECT 1").message.string().contains("SELECT"))
  }

  @Test(.requirement("E28", "E19")) func `recoverable is what may succeed without a person`() {
    for error in [AppError.offline(), .timeout(), .server(code: 500, isRepeatable: true)] {
      #expect(error.isRecoverable)
    }
    let others: [AppError] = [
      .unauthorized(), .decoding(Odd()), .cancelled(), .unknown(Odd()), .validation("No."),
      .offline().with(disposition: .unknownOutcome),
    ]
    for error in others { #expect(!error.isRecoverable) }
  }

  @Test(.requirement("B9", "B28", "B32", "D32"))
  func `the census names the types that nobody classified`() {
    let samples: [any Error] = [
      Odd(), URLError(.timedOut), Odd(), AppError.Service.unknown(Odd()), TextError("x"),
      AppError.offline(), CancellationError(),
    ]
    let gaps = MappingCensus(of: samples).gaps
    #expect(gaps.map { $0.type.split(separator: ".").last } == ["Odd", "TextError"])
    #expect(gaps.first?.description.contains("AppErrorConvertible") == true)
    let mapping = ErrorMapping.standard.adding(any: { $0 is Odd ? .offline() : nil })
    #expect(MappingCensus(of: [Odd()], mapping: mapping).gaps.isEmpty)
    let undecided = ErrorMapping.standard.adding(Odd.self) { _ in
      AppError(
        code: "odd.4", kind: .unknown, disposition: .unclassified, title: "Odd",
        message: "Something odd happened.")
    }
    #expect(MappingCensus(of: [Odd()], mapping: undecided).gaps.isEmpty)
    let vague = ErrorMapping.standard.adding(Odd.self) { .unknown($0) }
    #expect(MappingCensus(of: [Odd()], mapping: vague).gaps.count == 1)
  }
}
