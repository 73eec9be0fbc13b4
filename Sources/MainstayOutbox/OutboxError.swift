// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What an outbox itself can fail with; errors of workers decide about their operation instead.
public struct OutboxError: AppErrorConvertible {
  /// What went wrong; the set is open.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable {
    /// The stable name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file or its folder could not be opened or written.
    public static let unavailable = Code(rawValue: "unavailable")
    /// The device is locked, and the system keeps the file closed until somebody has unlocked it;
    /// on Apple platforms.
    ///
    /// Open the outbox again once the device is unlocked: nothing is wrong with the file.
    public static let deviceLocked = Code(rawValue: "deviceLocked")
    /// The disk has no room left.
    public static let diskFull = Code(rawValue: "diskFull")
    /// The file was written by a newer version of the library.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The file is damaged.
    public static let corrupted = Code(rawValue: "corrupted")
    /// Another program keeps the file locked.
    public static let busy = Code(rawValue: "busy")
    /// The outbox holds as many operations as it may.
    public static let full = Code(rawValue: "full")
    /// Another operation with the same unique key is waiting.
    public static let duplicate = Code(rawValue: "duplicate")
    /// What was asked for rests on something that has changed meanwhile; asking again helps.
    public static let changedMeanwhile = Code(rawValue: "changedMeanwhile")
    /// The payload, or a key or name beside it, is larger than it may be.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The payload could not be encoded.
    public static let unencodable = Code(rawValue: "unencodable")
    /// The idempotency key belongs to another operation.
    public static let keyReused = Code(rawValue: "keyReused")
    /// The outbox was shut down.
    public static let shutDown = Code(rawValue: "shutDown")
    /// Two workers read the same kind and version.
    public static let duplicateWorker = Code(rawValue: "duplicateWorker")
    /// The payload of an operation is not what its kind and version promise.
    public static let unreadablePayload = Code(rawValue: "unreadablePayload")
    /// The store failed in a way that has no name here.
    public static let failed = Code(rawValue: "failed")
  }

  /// What went wrong.
  public let code: Code
  /// What it is about, such as the path of the file; for logs.
  public let details: String
  /// What caused it.
  public let underlying: (any Error)?

  /// Makes an error; for stores.
  public init(_ code: Code, details: String, underlying: (any Error)? = nil) {
    self.code = code
    self.details = details
    self.underlying = underlying
  }

  /// The error as people and policies see it.
  public var appError: AppError {
    let row = Row.row(for: code)
    let key = "error.\(row.code)"
    return AppError(
      code: row.code, kind: row.kind, disposition: row.disposition,
      title: LocalizableText(key: key + ".title", english: row.title),
      message: LocalizableText(key: key + ".message", english: row.message),
      suggestion: LocalizableText(key: key + ".suggestion", english: row.suggestion),
      details: "\(code.rawValue): \(details)", metadata: ["outbox.error": code.rawValue],
      underlying: underlying.map { [$0] } ?? [])
  }
}

extension OutboxError.Code {
  /// Every code that the outbox itself uses.
  package static let all: [OutboxError.Code] = [
    .unavailable, .deviceLocked, .diskFull, .newerFormat, .corrupted, .busy, .full, .tooLarge,
    .unencodable, .keyReused, .duplicate, .changedMeanwhile, .shutDown, .duplicateWorker,
    .unreadablePayload, .failed,
  ]
}

extension OutboxError: Equatable {
  /// Whether both have the same code.
  public static func == (left: OutboxError, right: OutboxError) -> Bool { left.code == right.code }
}

extension OutboxError: CustomStringConvertible {
  /// Code, details and cause.
  public var description: String {
    let cause = underlying.map { " ← \($0)" } ?? ""
    return "OutboxError.\(code.rawValue): \(details)\(cause)"
  }
}

/// One row of the table of what people read about these errors.
private struct Row {
  let code: ErrorCode
  let kind: ErrorKind
  let disposition: Disposition
  let title: LocalizableText
  let message: LocalizableText
  let suggestion: LocalizableText

  static func row(for code: OutboxError.Code) -> Row {
    rows[code]
      ?? Row(
        code: "outbox.failed", kind: .storage, disposition: .transient(),
        title: "Your change could not be saved",
        message: "The storage of this device did not respond properly.",
        suggestion: "Try again.")
  }

  private static let rows: [OutboxError.Code: Row] = [
    .unavailable: Row(
      code: "outbox.unavailable", kind: .storage, disposition: .needsUser,
      title: "The storage can’t be opened",
      message: "The place where changes are kept can’t be read or written.",
      suggestion: "Check that the folder exists and that the app may write to it."),
    .deviceLocked: Row(
      code: "outbox.device-locked", kind: .storage, disposition: .transient(),
      title: "The device is locked",
      message: "Saved changes can’t be read before it has been unlocked.",
      suggestion: "Unlock the device, then try again."),
    .diskFull: Row(
      code: "outbox.disk-full", kind: .storageFull, disposition: .needsUser,
      title: "Not enough space", message: "There is no room left to save your change.",
      suggestion: "Free up some space, then try again."),
    .newerFormat: Row(
      code: "outbox.newer-format", kind: .configuration, disposition: .needsUser,
      title: "Your changes need a newer version",
      message: "The saved changes were written by a newer version of the app.",
      suggestion: "Update the app; nothing was changed or lost."),
    .corrupted: Row(
      code: "outbox.corrupted", kind: .corrupted, disposition: .permanent,
      title: "Saved changes are damaged", message: "Some saved changes can’t be read any more.",
      suggestion: "Open the app again; what can be read is kept."),
    .busy: Row(
      code: "outbox.busy", kind: .storage, disposition: .transient(),
      title: "The storage is in use", message: "Something else is working with saved changes.",
      suggestion: "Try again in a moment."),
    .full: Row(
      code: "outbox.full", kind: .storageFull, disposition: .needsUser,
      title: "Too many changes are waiting",
      message: "No more changes can be kept until some have been sent.",
      suggestion: "Connect to the network, then try again."),
    .tooLarge: Row(
      code: "outbox.too-large", kind: .validation, disposition: .permanent,
      title: "This is too large", message: "A change of this size can’t be kept.",
      suggestion: "Choose something smaller."),
    .unencodable: Row(
      code: "outbox.unencodable", kind: .encoding, disposition: .permanent,
      title: "Your change could not be saved", message: "It can’t be put into a form to keep.",
      suggestion: "Check what you entered."),
    .keyReused: Row(
      code: "outbox.key-reused", kind: .validation, disposition: .permanent,
      title: "This was already sent",
      message: "Something else was sent under the same key before.",
      suggestion: "Send it again as something new."),
    .duplicate: Row(
      code: "outbox.duplicate", kind: .validation, disposition: .permanent,
      title: "This is waiting already",
      message: "The same was asked for before, and has not been done yet.",
      suggestion: "Wait until it is done."),
    .changedMeanwhile: Row(
      code: "outbox.changed-meanwhile", kind: .storage, disposition: .transient(),
      title: "This has changed meanwhile",
      message: "Something else was done with it at the same moment.",
      suggestion: "Try again."),
    .shutDown: Row(
      code: "outbox.shut-down", kind: .cancelled, disposition: .permanent,
      title: "The app is closing", message: "Changes are no longer taken.",
      suggestion: "Open the app again."),
    .duplicateWorker: Row(
      code: "outbox.duplicate-worker", kind: .configuration, disposition: .permanent,
      title: "The app is set up wrongly", message: "Two parts of the app do the same work.",
      suggestion: "Tell the makers of the app."),
    .unreadablePayload: Row(
      code: "outbox.unreadable-payload", kind: .decoding, disposition: .permanent,
      title: "A saved change can’t be read",
      message: "It was saved by another version of the app and is kept until it can be read.",
      suggestion: "Update the app."),
  ]
}

extension OutboxError {
  init(_ error: any Error) {
    self = error as? OutboxError ?? OutboxError(.failed, details: "store", underlying: error)
  }
}
