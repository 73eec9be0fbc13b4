// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  static let storageFull = BuiltInError(
    "storage.full", .storageFull, .needsUser,
    title: "Not enough space",
    message: "There is no room left to save this.",
    suggestion: "Free up some space, then try again.",
    actions: [.freeSpace, .retry, .dismiss])

  static let storageDenied = BuiltInError(
    "storage.denied", .denied, .needsUser,
    title: "No permission",
    message: "The app may not read or write this file.",
    suggestion: "Allow access to the file or folder, then try again.")

  static let storageReadOnly = BuiltInError(
    "storage.read-only", .storage, .needsUser,
    title: "This place is read-only",
    message: "Nothing can be saved there.",
    suggestion: "Choose another place to save.")

  static let fileMissing = BuiltInError(
    "storage.not-found", .notFound, .permanent,
    title: "The file is missing",
    message: "The file is not where it was expected.",
    suggestion: "It may have been moved or deleted. Look for it, or choose another file.")

  static let fileExists = BuiltInError(
    "storage.exists", .storage, .permanent,
    title: "The file is already there",
    message: "A file with this name exists already.",
    suggestion: "Choose another name.")

  static let fileTooLarge = BuiltInError(
    "storage.too-large", .storage, .permanent,
    title: "The file is too large",
    message: "The app cannot work with a file of this size.",
    suggestion: "Choose a smaller file.")

  static let fileInUse = BuiltInError(
    "storage.in-use", .storage, .transient(),
    title: "The file is in use",
    message: "Something else is working with the file.",
    suggestion: "Close what uses the file, then try again.")

  static let corrupted = BuiltInError(
    "storage.corrupted", .corrupted, .permanent,
    title: "The file is damaged",
    message: "What was saved can’t be read any more.",
    suggestion: "Use an older copy if there is one.")

  static let storageFailed = BuiltInError(
    "storage.failed", .storage, .transient(),
    title: "The device couldn’t read or write",
    message: "The storage of the device did not respond properly.",
    suggestion: "Try again. If it happens again, check the storage.")

  static let badName = BuiltInError(
    "storage.bad-name", .validation, .permanent,
    title: "The name can’t be used",
    message: "A file cannot have this name.",
    suggestion: "Choose another name.")

  static let storage: [BuiltInError] = [
    storageFull, storageDenied, storageReadOnly, fileMissing, fileExists, fileTooLarge, fileInUse,
    corrupted, storageFailed, badName,
  ]
}
