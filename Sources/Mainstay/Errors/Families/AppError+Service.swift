// SPDX-License-Identifier: Apache-2.0

extension AppError {
  /// What a service of an app can fail with; it stays inside and is converted before it is shown.
  public enum Service: AppErrorConvertible {
    /// The service was used before it was set up.
    case notConfigured
    /// A setting of the service cannot be used.
    case invalidConfiguration(String)
    /// There is no connection.
    case networkUnavailable
    /// The service does not know who asks.
    case authenticationFailed
    /// Too many requests; how long the service asks to wait, where it says so.
    case rateLimited(retryAfter: Duration? = nil)
    /// The answer cannot be read.
    case invalidResponse
    /// An answer that comes in parts broke off, with what caused it, where that is known.
    case streaming((any Error)? = nil)
    /// The service did not answer in time.
    case timeout
    /// Somebody stopped the work on purpose.
    case cancelled
    /// The provider of the service refused, with its own code and words; both are for logs.
    case provider(code: String, message: String)
    /// Anything else, with what caused it.
    case unknown(any Error)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }

  /// What can go wrong on the way to a service and back.
  public enum Network: AppErrorConvertible {
    /// The device has no connection.
    case offline
    /// The service did not answer in time.
    case timeout
    /// The service answered that it failed, with a code such as an HTTP status.
    case server(code: Int)
    /// The answer is not what the app understands.
    case invalidResponse
    /// Too many requests; how long the service asks to wait, where it says so.
    case rateLimited(retryAfter: Duration? = nil)
    /// Nobody is signed in, or the sign-in is no longer valid.
    case unauthorized

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }

  /// What can go wrong with what an app keeps.
  public enum Data: AppErrorConvertible {
    /// It could not be saved, with what caused it, where that is known.
    case saveFailed((any Error)? = nil)
    /// It could not be loaded, with what caused it, where that is known.
    case fetchFailed((any Error)? = nil)
    /// It is damaged.
    case corrupted
    /// It could not be brought into the form of this version, with what caused it.
    case migrationFailed((any Error)? = nil)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }

  /// What can go wrong when a camera looks for something.
  public enum Recognition: AppErrorConvertible {
    /// Nothing was recognised.
    case unrecognised
    /// Something was recognised, but not surely enough; how surely, from 0 to 1.
    case lowConfidence(Double)
    /// There is too little light.
    case tooDark
    /// It is too far away.
    case tooFar
    /// What recognises things could not be loaded, with what caused it, where that is known.
    case modelFailed((any Error)? = nil)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }
}

extension AppError.Service: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .notConfigured: .serviceNotConfigured
    case .invalidConfiguration: .serviceConfiguration
    case .networkUnavailable: .serviceOffline
    case .authenticationFailed: .serviceSignIn
    case .rateLimited(let wait): .throttled("service.rate-limited", wait)
    case .invalidResponse: .serviceAnswer
    case .streaming: .streaming
    case .timeout: .serviceTimeout
    case .cancelled: .serviceCancelled
    case .provider: .serviceProvider
    case .unknown: .serviceUnknown
    }
  }

  var note: String? {
    switch self {
    case .invalidConfiguration(let reason): reason
    case .provider(let code, let message): "\(code) \(message)"
    default: nil
    }
  }

  var values: [String: String] {
    guard case .provider(let code, let message) = self else { return [:] }
    return ["server.code": code, "server.message": message]
  }

  var cause: (any Error)? {
    switch self {
    case .unknown(let cause): cause
    case .streaming(let cause): cause
    default: nil
    }
  }
}

extension AppError.Network: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .offline: .offline
    case .timeout: .timeout
    case .server(let code): .answered(code, isRepeatable: true)
    case .invalidResponse: .badAnswer
    case .rateLimited(let wait): .throttled("network.rate-limited", wait)
    case .unauthorized: .signInRequired
    }
  }

  var note: String? { nil }

  var values: [String: String] {
    if case .server(let code) = self { ["server.code": String(code)] } else { [:] }
  }
}

extension AppError.Data: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .saveFailed: .saveFailed
    case .fetchFailed: .fetchFailed
    case .corrupted: .dataCorrupted
    case .migrationFailed: .migrationFailed
    }
  }

  var note: String? { nil }

  var cause: (any Error)? {
    switch self {
    case .saveFailed(let cause), .fetchFailed(let cause), .migrationFailed(let cause): cause
    case .corrupted: nil
    }
  }
}

extension AppError.Recognition: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .unrecognised: .unrecognised
    case .lowConfidence: .lowConfidence
    case .tooDark: .tooDark
    case .tooFar: .tooFar
    case .modelFailed: .modelFailed
    }
  }

  var note: String? {
    if case .lowConfidence(let confidence) = self { "confidence \(confidence)" } else { nil }
  }

  var cause: (any Error)? {
    if case .modelFailed(let cause) = self { cause } else { nil }
  }
}
