// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  static let serviceNotConfigured = BuiltInError(
    "service.not-configured", .configuration, .needsUser,
    title: "This is not set up yet",
    message: "The service needs some settings before it can be used.",
    suggestion: "Set it up, then try again.",
    actions: [.openSettings, .retry, .dismiss])

  static let serviceConfiguration = configuration.coded("service.invalid-configuration")
  static let serviceOffline = offline.coded("service.network-unavailable")
  static let serviceSignIn = signInRequired.coded("service.authentication-failed")
  static let serviceAnswer = badAnswer.coded("service.invalid-response")

  static let streaming = BuiltInError(
    "service.streaming", .network, .transient(),
    title: "The answer broke off",
    message: "The service stopped before its answer was complete.",
    suggestion: "Try again.")

  static let serviceTimeout = timeout.coded("service.timeout")
  static let serviceCancelled = cancelled.coded("service.cancelled")
  static let serviceProvider = answer("service.provider")
  static let serviceUnknown = unknown.coded("service.unknown")

  static let networkFailed = BuiltInError(
    "network.failed", .network, .transient(),
    title: "The connection failed",
    message: "Something went wrong between this device and the service.",
    suggestion: "Check your connection, then try again.")

  static let saveFailed = BuiltInError(
    "data.save-failed", .storage, .unclassified,
    title: "This could not be saved",
    message: "The app could not keep your changes.",
    suggestion: "Try again. Leave this open until it is saved.")

  static let fetchFailed = BuiltInError(
    "data.fetch-failed", .storage, .unclassified,
    title: "This could not be loaded",
    message: "The app could not read what was saved.",
    suggestion: "Try again. If it happens again, contact support.")

  static let dataCorrupted = corrupted.coded("data.corrupted")

  static let migrationFailed = BuiltInError(
    "data.migration-failed", .storage, .unclassified, .critical,
    title: "Your data could not be updated",
    message: "What was saved still has the form of an older version of the app.",
    suggestion: "Update the app. If it happens again, contact support.")

  static let unrecognised = BuiltInError(
    "recognition.unrecognised", .unrecognised, .needsUser,
    title: "This was not recognized",
    message: "The app does not know what is in the picture.",
    suggestion: "Show it from another side, or enter it by hand.")

  static let lowConfidence = BuiltInError(
    "recognition.low-confidence", .unrecognised, .needsUser,
    title: "This may be something else",
    message: "The app is not sure what is in the picture.",
    suggestion: "Hold the device still and closer, or enter it by hand.")

  static let tooDark = BuiltInError(
    "recognition.too-dark", .unrecognised, .needsUser,
    title: "It is too dark",
    message: "There is not enough light for the camera.",
    suggestion: "Turn on a light, then try again.")

  static let tooFar = BuiltInError(
    "recognition.too-far", .unrecognised, .needsUser,
    title: "It is too far away",
    message: "What the camera sees is too small to be recognized.",
    suggestion: "Move closer, then try again.")

  static let modelFailed = BuiltInError(
    "recognition.model-failed", .unavailable, .unclassified,
    title: "Recognition is not available",
    message: "The app could not load what it needs to recognize things.",
    suggestion: "Open the app again, or enter it by hand.")

  static let service: [BuiltInError] = [
    serviceNotConfigured, serviceConfiguration, serviceOffline, serviceSignIn,
    throttled("service.rate-limited", nil), serviceAnswer, streaming, serviceTimeout,
    serviceCancelled, serviceProvider, serviceUnknown, networkFailed,
    throttled("network.rate-limited", nil), saveFailed, fetchFailed, dataCorrupted,
    migrationFailed, unrecognised, lowConfidence, tooDark, tooFar, modelFailed,
  ]
}
