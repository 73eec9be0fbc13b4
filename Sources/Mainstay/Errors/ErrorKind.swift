// SPDX-License-Identifier: Apache-2.0

/// What happened, in one word that a program can switch over.
///
/// The set is open: an app or a library adds its own kinds as static members, so a `switch` over
/// kinds keeps a `default`. What may be done about an error is said by ``Disposition``, never by
/// its kind.
public struct ErrorKind: Sendable, Hashable {
  /// The name of the kind.
  public let rawValue: String

  /// Makes a kind of your own; use a dotted name, such as `payments.declined`.
  ///
  /// An empty name stops the program.
  public init(_ rawValue: StaticString) {
    precondition(rawValue.description != "", "ErrorKind \"\" is not legal: at least 1 character")
    self.rawValue = rawValue.description
  }
}

extension ErrorKind {
  /// The device has no connection.
  public static let offline = ErrorKind("offline")
  /// A host could not be reached, or a connection broke.
  public static let network = ErrorKind("network")
  /// Something took longer than its limit.
  public static let timeout = ErrorKind("timeout")
  /// A sign-in page of the network answered instead of the service.
  public static let portal = ErrorKind("portal")
  /// A secure connection could not be made or trusted.
  public static let insecure = ErrorKind("insecure")
  /// The service answered that it failed.
  public static let server = ErrorKind("server")
  /// Too many requests; the service or a limiter asks to slow down.
  public static let throttled = ErrorKind("throttled")
  /// Nobody is signed in, or the sign-in is no longer valid.
  public static let unauthorized = ErrorKind("unauthorized")
  /// The person or the app may not do this.
  public static let denied = ErrorKind("denied")
  /// The thing asked for does not exist.
  public static let notFound = ErrorKind("notFound")
  /// Somebody else changed the same thing.
  public static let conflict = ErrorKind("conflict")
  /// What was entered cannot be accepted.
  public static let validation = ErrorKind("validation")
  /// Data that was read has an unexpected form.
  public static let decoding = ErrorKind("decoding")
  /// Data could not be put into the form in which it is sent or kept.
  public static let encoding = ErrorKind("encoding")
  /// A file or a database could not be read or written.
  public static let storage = ErrorKind("storage")
  /// There is no room left to write.
  public static let storageFull = ErrorKind("storageFull")
  /// Kept data is damaged.
  public static let corrupted = ErrorKind("corrupted")
  /// The app or a service is set up wrongly.
  public static let configuration = ErrorKind("configuration")
  /// The system has no memory, file handles or other resources left for now.
  public static let exhausted = ErrorKind("exhausted")
  /// The device, the system or the app cannot do this, or not now.
  public static let unavailable = ErrorKind("unavailable")
  /// The app itself made a mistake.
  public static let defect = ErrorKind("defect")
  /// A picture or a code could not be recognised.
  public static let unrecognised = ErrorKind("unrecognised")
  /// The person did not let the app read health data.
  public static let healthDenied = ErrorKind("healthDenied")
  /// The person did not let the app use the camera.
  public static let cameraDenied = ErrorKind("cameraDenied")
  /// There is no user where one is needed.
  public static let userMissing = ErrorKind("userMissing")
  /// A provider, such as one of sign-ins, is not one that the app works with.
  public static let unsupportedProvider = ErrorKind("unsupportedProvider")
  /// A policy of the app refused the call before it was made.
  public static let rejected = ErrorKind("rejected")
  /// Somebody stopped the work on purpose.
  public static let cancelled = ErrorKind("cancelled")
  /// Nobody has said what this error means.
  public static let unknown = ErrorKind("unknown")
}

extension ErrorKind: CustomStringConvertible {
  /// The name of the kind.
  public var description: String { rawValue }
}

extension ErrorKind: Codable {
  /// Decodes a kind from its name; a name that this build does not know is kept.
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the kind as its name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
