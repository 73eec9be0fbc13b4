// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private struct Odd: Error {}
private let full = POSIXError(.ENOSPC)
private typealias Failure = AppError

/// Each family, case by case: a `switch` that leaves one out does not compile.
private enum Samples {
  static func after(_ error: Failure.Framework?) -> Failure.Framework? {
    switch error {
    case nil: .capabilityUnavailable("camera")
    case .capabilityUnavailable: .stateCorruption("two owners")
    case .stateCorruption: .architecturalViolation("view wrote state")
    case .architecturalViolation: .performanceThreshold("900 ms")
    case .performanceThreshold: .configuration("no base URL")
    case .configuration: .unknown(Odd())
    case .unknown: nil
    }
  }

  static func after(_ error: Failure.Client?) -> Failure.Client? {
    switch error {
    case nil: .invalidState("closed")
    case .invalidState: .concurrencyViolation("two writers")
    case .concurrencyViolation: .updateFailed(Odd())
    case .updateFailed: .changeRefused("few lines")
    case .changeRefused: .isolationBreach("off the main actor")
    case .isolationBreach: .actorGone("store")
    case .actorGone: nil
    }
  }

  static func after(_ error: Failure.Context?) -> Failure.Context? {
    switch error {
    case nil: .bindingFailed(property: "name")
    case .bindingFailed: .orchestrationFailed(clients: ["cart", "stock"])
    case .orchestrationFailed: .observationFailed("stream ended")
    case .observationFailed: .updateFailed(Odd())
    case .updateFailed: nil
    }
  }

  static func after(_ error: Failure.Capability?) -> Failure.Capability? {
    switch error {
    case nil: .unavailable("scanner")
    case .unavailable: .requirementNotMet("iCloud")
    case .requirementNotMet: .validationTimedOut("scanner")
    case .validationTimedOut: .executionFailed(Odd())
    case .executionFailed: .fallbackUnavailable("typing")
    case .fallbackUnavailable: nil
    }
  }

  static func after(_ error: Failure.Service?) -> Failure.Service? {
    switch error {
    case nil: .notConfigured
    case .notConfigured: .invalidConfiguration("no key")
    case .invalidConfiguration: .networkUnavailable
    case .networkUnavailable: .authenticationFailed
    case .authenticationFailed: .rateLimited(retryAfter: .seconds(90))
    case .rateLimited: .invalidResponse
    case .invalidResponse: .streaming()
    case .streaming: .timeout
    case .timeout: .cancelled
    case .cancelled: .provider(code: "E_QUOTA", message: "quota 12/12")
    case .provider: .unknown(Odd())
    case .unknown: nil
    }
  }

  static func after(_ error: Failure.Network?) -> Failure.Network? {
    switch error {
    case nil: .offline
    case .offline: .timeout
    case .timeout: .server(code: 503)
    case .server: .invalidResponse
    case .invalidResponse: .rateLimited()
    case .rateLimited: .unauthorized
    case .unauthorized: nil
    }
  }

  static func after(_ error: Failure.Data?) -> Failure.Data? {
    switch error {
    case nil: .saveFailed()
    case .saveFailed: .fetchFailed(Odd())
    case .fetchFailed: .corrupted
    case .corrupted: .migrationFailed()
    case .migrationFailed: nil
    }
  }

  static func after(_ error: Failure.Recognition?) -> Failure.Recognition? {
    switch error {
    case nil: .unrecognised
    case .unrecognised: .lowConfidence(0.4)
    case .lowConfidence: .tooDark
    case .tooDark: .tooFar
    case .tooFar: .modelFailed()
    case .modelFailed: nil
    }
  }

  static func all<E>(_ after: (E?) -> E?) -> [E] {
    var found: [E] = []
    while let next = after(found.last) { found.append(next) }
    return found
  }
}

private typealias Row = (ErrorCode, ErrorKind, Disposition, Severity)

/// What each case is to programs, in the order of the cases.
private enum Rows {
  static let framework: [Row] = [
    ("framework.capability-unavailable", .unavailable, .permanent, .error),
    ("framework.state-corruption", .corrupted, .permanent, .critical),
    ("framework.architectural-violation", .defect, .permanent, .critical),
    ("framework.performance-threshold", .exhausted, .transient(), .warning),
    ("framework.configuration", .configuration, .permanent, .error),
    ("framework.unknown", .unknown, .unclassified, .error),
  ]

  static let client: [Row] = [
    ("client.invalid-state", .defect, .permanent, .error),
    ("client.concurrency-violation", .defect, .permanent, .critical),
    ("client.update-failed", .unknown, .unclassified, .error),
    ("client.change-refused", .validation, .permanent, .warning),
    ("client.isolation-breach", .defect, .permanent, .critical),
    ("client.actor-gone", .defect, .permanent, .error),
  ]

  static let context: [Row] = [
    ("context.binding-failed", .defect, .permanent, .error),
    ("context.orchestration-failed", .defect, .permanent, .error),
    ("context.observation-failed", .defect, .permanent, .warning),
    ("context.update-failed", .unknown, .unclassified, .error),
  ]

  static let capability: [Row] = [
    ("capability.unavailable", .unavailable, .permanent, .error),
    ("capability.requirement-not-met", .unavailable, .needsUser, .info),
    ("capability.validation-timeout", .timeout, .transient(), .warning),
    ("capability.execution-failed", .unknown, .unclassified, .error),
    ("capability.fallback-unavailable", .unavailable, .permanent, .error),
  ]

  static let service: [Row] = [
    ("service.not-configured", .configuration, .needsUser, .info),
    ("service.invalid-configuration", .configuration, .permanent, .error),
    ("service.network-unavailable", .offline, .transient(), .warning),
    ("service.authentication-failed", .unauthorized, .needsUser, .info),
    ("service.rate-limited", .throttled, .throttled(retryAfter: .seconds(90)), .warning),
    ("service.invalid-response", .decoding, .permanent, .error),
    ("service.streaming", .network, .transient(), .warning),
    ("service.timeout", .timeout, .transient(), .warning),
    ("service.cancelled", .cancelled, .cancelled, .debug),
    ("service.provider", .server, .unclassified, .error),
    ("service.unknown", .unknown, .unclassified, .error),
  ]

  static let network: [Row] = [
    ("network.offline", .offline, .transient(), .warning),
    ("network.timeout", .timeout, .transient(), .warning),
    ("server.503", .server, .transient(), .warning),
    ("network.bad-answer", .decoding, .permanent, .error),
    ("network.rate-limited", .throttled, .throttled(), .warning),
    ("network.sign-in-required", .unauthorized, .needsUser, .info),
  ]

  static let data: [Row] = [
    ("data.save-failed", .storage, .unclassified, .error),
    ("data.fetch-failed", .storage, .unclassified, .error),
    ("data.corrupted", .corrupted, .permanent, .error),
    ("data.migration-failed", .storage, .unclassified, .critical),
  ]

  static let recognition: [Row] = [
    ("recognition.unrecognised", .unrecognised, .needsUser, .info),
    ("recognition.low-confidence", .unrecognised, .needsUser, .info),
    ("recognition.too-dark", .unrecognised, .needsUser, .info),
    ("recognition.too-far", .unrecognised, .needsUser, .info),
    ("recognition.model-failed", .unavailable, .unclassified, .error),
  ]
}

@Suite struct ErrorFamilyTests {
  /// Every case is what the table says, and reads aloud.
  private func check(_ errors: [any AppErrorConvertible], are rows: [Row]) {
    #expect(errors.count == rows.count)
    #expect(Set(rows.map(\.0)).count == rows.count, "a code is used twice")
    for (error, row) in zip(errors, rows) {
      let app = error.appError
      #expect((app.code, app.kind, app.disposition, app.severity) == row)
      let title = app.title.string()
      #expect(!title.isEmpty && !title.lowercased().contains("error") && !title.hasSuffix("."))
      #expect(app.message.string() != title && app.message.string().hasSuffix("."))
      let suggestion = app.suggestion?.string()
      #expect(app.disposition == .cancelled || suggestion?.hasSuffix(".") == true, "\(app)")
      let texts = [title, app.message.string(), suggestion ?? ""].joined(separator: " ")
      for code in ["E_QUOTA", "quota", "503", "two owners", "scanner", "Odd", app.code.rawValue] {
        #expect(!texts.contains(code) || code == "cancelled", "\(texts)")
      }
      #expect((error as NSError).localizedDescription == app.message.string())
      #expect(AppError.from(error) == app)
      #expect(error.asAppError.code == app.code)
      #expect(app.title.key != nil && app.message.key != nil)
    }
  }

  @Test(.requirement("A1", "A41")) func `the framework family has its six cases`() {
    check(Samples.all(Samples.after as (Failure.Framework?) -> _), are: Rows.framework)
  }

  @Test(.requirement("A2", "A41")) func `the client family has its six cases`() {
    check(Samples.all(Samples.after as (Failure.Client?) -> _), are: Rows.client)
  }

  @Test(.requirement("A3", "A41")) func `the context family has its four cases`() {
    check(Samples.all(Samples.after as (Failure.Context?) -> _), are: Rows.context)
  }

  @Test(.requirement("A4", "A41")) func `the capability family has its five cases`() {
    check(Samples.all(Samples.after as (Failure.Capability?) -> _), are: Rows.capability)
  }

  @Test(.requirement("B7", "A41")) func `the service family has its eleven cases`() {
    check(Samples.all(Samples.after as (Failure.Service?) -> _), are: Rows.service)
  }

  @Test(.requirement("C7", "A41", "E28"))
  func `the network family has its cases and says what may help`() {
    let errors = Samples.all(Samples.after as (Failure.Network?) -> _)
    check(errors, are: Rows.network)
    let recoverable = errors.filter(\.appError.isRecoverable).map(\.appError.kind)
    #expect(recoverable == [.offline, .timeout, .server, .throttled])
    #expect(Failure.Network.server(code: 503).appError.serverCode == 503)
    let limited = Failure.Network.rateLimited(retryAfter: .seconds(90)).appError
    #expect(limited.disposition == .throttled(retryAfter: .seconds(90)))
    #expect(limited.suggestion?.arguments == [.duration(.seconds(90))])
  }

  @Test(.requirement("C8", "A41")) func `the data family has its four cases`() {
    check(Samples.all(Samples.after as (Failure.Data?) -> _), are: Rows.data)
  }

  @Test(.requirement("C9", "A41")) func `the recognition family has its five cases`() {
    check(Samples.all(Samples.after as (Failure.Recognition?) -> _), are: Rows.recognition)
  }

  @Test(.requirement("A1", "A2", "A3", "A4", "B2", "B26")) func `what caused it is kept`() {
    let errors: [any AppErrorConvertible] = [
      Failure.Framework.unknown(full), Failure.Client.updateFailed(full),
      Failure.Context.updateFailed(full), Failure.Capability.executionFailed(full),
      Failure.Service.unknown(full), Failure.Service.streaming(full),
      Failure.Data.saveFailed(full), Failure.Recognition.modelFailed(full),
    ]
    for error in errors {
      #expect(error.appError.cause(as: POSIXError.self)?.code == .ENOSPC, "\(error)")
      #expect(AppError.from(error).cause(as: POSIXError.self)?.code == .ENOSPC, "\(error)")
    }
  }

  @Test(.requirement("B18", "T13")) func `a classified cause says what happened and what to do`() {
    let error = Failure.Data.saveFailed(full).appError
    #expect(error.code == "data.save-failed")
    #expect(error.kind == .storageFull)
    #expect(error.disposition == .needsUser)
    #expect(error.title.string() == "This could not be saved")
    #expect(error.message.string() == "There is no room left to save this.")
    #expect(error.actions.first == .freeSpace)
    let unknown = Failure.Data.saveFailed(Odd()).appError
    #expect(unknown.kind == .storage)
    #expect(unknown.disposition == .unclassified)
    #expect(unknown.message.string() == "The app could not keep your changes.")
  }

  @Test(.requirement("C23", "B18")) func `what is critical stays so, whatever caused it`() {
    let error = Failure.Data.migrationFailed(full).appError
    #expect(error.disposition == .needsUser)
    #expect(error.severity == .critical)
    #expect(Failure.Data.migrationFailed(Odd()).appError.severity == .critical)
    #expect(Failure.Data.migrationFailed(CancellationError()).appError.severity == .debug)
    #expect(Failure.Data.saveFailed(full).appError.severity == .info)
    let worse = Failure.Data.saveFailed(Failure.Data.migrationFailed()).appError
    #expect(worse.severity == .critical)
  }

  @Test(.requirement("B11", "T13")) func `unknown stays unknown with its cause`() {
    for error in [
      Failure.Framework.unknown(Odd()).appError, Failure.Service.unknown(Odd()).appError,
    ] {
      #expect(error.kind == .unknown)
      #expect(error.disposition == .unclassified)
      #expect(error.disposition.retry == .never)
      #expect(error.cause(as: Odd.self) != nil)
    }
    let told = Failure.Service.unknown(TextError("The shop is closed.")).appError
    #expect(told.message.string() == "The shop is closed.")
  }

  @Test(.requirement("E12")) func `a cancellation in a family is one`() {
    let errors: [any Error] = [
      Failure.Service.cancelled, Failure.Service.unknown(CancellationError()),
      Failure.Client.updateFailed(CancellationError()),
      Failure.Data.fetchFailed(POSIXError(.ECANCELED)),
      Failure.Framework.unknown(Failure.Service.cancelled),
    ]
    for error in errors {
      #expect(error.isCancellation, "\(error)")
      #expect(AppError.from(error).disposition == .cancelled, "\(error)")
    }
  }

  @Test(.requirement("B8")) func `a provider's own code and words are for logs alone`() {
    let error = Failure.Service.provider(code: "404", message: "no such model").appError
    #expect(error.serverCode == 404)
    #expect(error.serverMessage == "no such model")
    #expect(!error.message.string().contains("model"))
    #expect(error.details?.contains("no such model") == true)
    let limited = Failure.Service.rateLimited(retryAfter: .seconds(90)).appError
    #expect(limited.disposition == .throttled(retryAfter: .seconds(90)))
    #expect(limited.suggestion?.arguments == [.duration(.seconds(90))])
  }

  @Test func `nobody is told to try again where there is no button for it`() {
    let families: [(any Error) -> any AppErrorConvertible] = [
      Failure.Framework.unknown, Failure.Client.updateFailed, Failure.Context.updateFailed,
      Failure.Capability.executionFailed, Failure.Service.unknown, Failure.Service.streaming,
      Failure.Data.saveFailed, Failure.Data.fetchFailed, Failure.Data.migrationFailed,
      Failure.Recognition.modelFailed,
    ]
    let dispositions: [Disposition] = [
      .transient(), .throttled(), .rejected(), .permanent, .needsUser, .unknownOutcome,
    ]
    for disposition in dispositions {
      let cause = AppError(
        code: "pay.unclear", kind: .server, disposition: disposition, title: "Unclear",
        message: "We do not know.")
      for family in families {
        let error = family(cause).appError
        let offersRetry = error.actions.contains(.retry)
        let note: Comment = "\(error.code) of \(disposition)"
        #expect((error.suggestion != nil) == (disposition != .permanent), note)
        let words = error.suggestion?.string() ?? ""
        #expect(offersRetry || !words.hasPrefix("Try") && !words.contains("then try"), note)
      }
    }
    let checked = Failure.Data.saveFailed(
      AppError.http(status: 503, isRepeatable: true)
        .with(disposition: .unknownOutcome)
    ).appError
    #expect(checked.suggestion?.string().hasPrefix("Check whether") == true)
  }

  @Test func `families that hold each other come to an end`() {
    var error: any Error = Odd()
    for _ in 0..<1_000 { error = Failure.Client.updateFailed(error) }
    let mapped = AppError.from(error)
    #expect(mapped.code == "client.update-failed")
    #expect(mapped.description.utf8.count < 20_000)
    #expect(!error.isCancellation)
  }
}
