// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  static let offline = BuiltInError(
    "network.offline", .offline, .transient(),
    title: "You’re offline",
    message: "This needs a connection, and the device has none right now.",
    suggestion: "Check Wi-Fi or mobile data, then try again.")

  static let unreachable = BuiltInError(
    "network.unreachable", .network, .transient(),
    title: "The service can’t be reached",
    message: "The service did not take the connection.",
    suggestion: "Try again in a moment.")

  static let hostNotFound = BuiltInError(
    "network.host-not-found", .network, .transient(),
    title: "The service can’t be found",
    message: "The address of the service could not be looked up.",
    suggestion: "Check your connection, then try again.")

  static let connectionLost = BuiltInError(
    "network.connection-lost", .network, .transient(),
    title: "The connection was lost",
    message: "The connection to the service broke before the answer was complete.",
    suggestion: "Try again.")

  static let timeout = BuiltInError(
    "network.timeout", .timeout, .transient(),
    title: "This is taking too long",
    message: "The service did not answer in time.",
    suggestion: "Try again in a moment.")

  static let portal = BuiltInError(
    "network.portal", .portal, .transient(),
    title: "This network wants you to sign in",
    message: "A sign-in page of the network answered instead of the service.",
    suggestion: "Open the network’s sign-in page, then try again.",
    actions: [.openPortal, .retry, .dismiss])

  static let insecure = BuiltInError(
    "network.insecure", .insecure, .permanent,
    title: "The connection isn’t secure",
    message: "The service could not prove who it is, so nothing was sent.",
    suggestion: "Check the date and time of this device, or use another network.",
    actions: [.retry, .dismiss])

  static let secureConnectionFailed = BuiltInError(
    "network.secure-connection-failed", .insecure, .transient(),
    title: "A secure connection could not be made",
    message: "The service and this device could not agree on a secure connection.",
    suggestion: "Try again, or use another network.")

  static let badAddress = BuiltInError(
    "network.bad-address", .configuration, .permanent,
    title: "The address can’t be used",
    message: "The app tried to reach an address that does not work.",
    suggestion: "Update the app. If it happens again, contact support.")

  static let badAnswer = BuiltInError(
    "network.bad-answer", .decoding, .permanent,
    title: "The answer could not be read",
    message: "The service answered in a way that the app does not understand.",
    suggestion: "Update the app. If it happens again, contact support.")

  static let signInRequired = BuiltInError(
    "network.sign-in-required", .unauthorized, .needsUser,
    title: "Sign-in needed",
    message: "The service needs to know who you are.",
    suggestion: "Sign in, then try again.",
    actions: [.signIn, .retry, .dismiss])

  /// What says so stands below any answer, where there is no number of HTTP.
  static let slowDown = throttled("network.slow-down", nil)
  static let overloaded = failing("network.overloaded", nil)

  static let network: [BuiltInError] = [
    offline, unreachable, hostNotFound, connectionLost, timeout, portal, insecure,
    secureConnectionFailed, badAddress, badAnswer, signInRequired, slowDown, overloaded,
  ]
}
