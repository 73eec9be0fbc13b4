// SPDX-License-Identifier: Apache-2.0

extension AppError {
  /// What can go wrong in the frame of an app rather than in one of its features.
  ///
  /// A reason is for logs: a person reads the texts of the case.
  public enum Framework: AppErrorConvertible {
    /// Something that the device or the app can do is missing now; its name.
    case capabilityUnavailable(String)
    /// What the app remembers does not fit together.
    case stateCorruption(String)
    /// A part of the app did what its design forbids.
    case architecturalViolation(String)
    /// Something took more time or memory than it may.
    case performanceThreshold(String)
    /// A setting cannot be used.
    case configuration(String)
    /// Anything else, with what caused it.
    case unknown(any Error)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }

  /// What can go wrong in a part that holds an app's state.
  public enum Client: AppErrorConvertible {
    /// What was asked for is not possible in the present state.
    case invalidState(String)
    /// Two things happened at the same time that must not.
    case concurrencyViolation(String)
    /// A change could not be made, with what caused it.
    case updateFailed(any Error)
    /// A change would break what must be true of the state, so it was not made.
    case changeRefused(String)
    /// State was reached from where it must not be reached.
    case isolationBreach(String)
    /// The actor that did the work is gone.
    case actorGone(String)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }

  /// What can go wrong between an app's state and its screens.
  public enum Context: AppErrorConvertible {
    /// A property could not be bound to its control; its name.
    case bindingFailed(property: String)
    /// Several clients did not work together; their names.
    case orchestrationFailed(clients: [String])
    /// Changes can no longer be observed.
    case observationFailed(String)
    /// A screen could not be brought up to date, with what caused it.
    case updateFailed(any Error)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }

  /// What can go wrong with something that a device or an app can do, such as scanning.
  public enum Capability: AppErrorConvertible {
    /// It is not there; its name.
    case unavailable(String)
    /// Something that it needs is missing.
    case requirementNotMet(String)
    /// It was not known in time whether it works; its name.
    case validationTimedOut(String)
    /// It was begun and failed, with what caused it.
    case executionFailed(any Error)
    /// What stands in for it does not work either; its name.
    case fallbackUnavailable(String)

    /// What a person reads, and what may be done.
    public var appError: AppError { .made(by: self) }
  }
}

extension AppError.Framework: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .capabilityUnavailable: .frameworkCapabilityUnavailable
    case .stateCorruption: .stateCorruption
    case .architecturalViolation: .architecturalViolation
    case .performanceThreshold: .performanceThreshold
    case .configuration: .frameworkConfiguration
    case .unknown: .frameworkUnknown
    }
  }

  var note: String? {
    switch self {
    case .capabilityUnavailable(let reason), .stateCorruption(let reason),
      .architecturalViolation(let reason), .performanceThreshold(let reason),
      .configuration(let reason):
      reason
    case .unknown: nil
    }
  }

  var cause: (any Error)? {
    if case .unknown(let cause) = self { cause } else { nil }
  }
}

extension AppError.Client: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .invalidState: .invalidState
    case .concurrencyViolation: .concurrencyViolation
    case .updateFailed: .clientUpdateFailed
    case .changeRefused: .changeRefused
    case .isolationBreach: .isolationBreach
    case .actorGone: .actorGone
    }
  }

  var note: String? {
    switch self {
    case .invalidState(let reason), .concurrencyViolation(let reason), .changeRefused(let reason),
      .isolationBreach(let reason), .actorGone(let reason):
      reason
    case .updateFailed: nil
    }
  }

  var cause: (any Error)? {
    if case .updateFailed(let cause) = self { cause } else { nil }
  }
}

extension AppError.Context: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .bindingFailed: .bindingFailed
    case .orchestrationFailed: .orchestrationFailed
    case .observationFailed: .observationFailed
    case .updateFailed: .contextUpdateFailed
    }
  }

  var note: String? {
    switch self {
    case .bindingFailed(let property): property
    case .orchestrationFailed(let clients): clients.joined(separator: ", ")
    case .observationFailed(let reason): reason
    case .updateFailed: nil
    }
  }

  var cause: (any Error)? {
    if case .updateFailed(let cause) = self { cause } else { nil }
  }
}

extension AppError.Capability: ErrorFamily {
  var row: BuiltInError {
    switch self {
    case .unavailable: .capabilityUnavailable
    case .requirementNotMet: .requirementNotMet
    case .validationTimedOut: .validationTimedOut
    case .executionFailed: .executionFailed
    case .fallbackUnavailable: .fallbackUnavailable
    }
  }

  var note: String? {
    switch self {
    case .unavailable(let name), .requirementNotMet(let name), .validationTimedOut(let name),
      .fallbackUnavailable(let name):
      name
    case .executionFailed: nil
    }
  }

  var cause: (any Error)? {
    if case .executionFailed(let cause) = self { cause } else { nil }
  }
}
