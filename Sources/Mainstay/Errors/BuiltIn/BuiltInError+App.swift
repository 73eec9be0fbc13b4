// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  static let healthDenied = BuiltInError(
    "app.health-denied", .healthDenied, .needsUser,
    title: "No access to health data",
    message: "The app may not read your health data.",
    suggestion: "Allow access to health data in Settings, then try again.",
    actions: [.openSettings, .retry, .dismiss])

  static let cameraDenied = BuiltInError(
    "app.camera-denied", .cameraDenied, .needsUser,
    title: "No access to the camera",
    message: "The app may not use the camera.",
    suggestion: "Allow access to the camera in Settings, then try again.",
    actions: [.openSettings, .retry, .dismiss])

  static let userMissing = BuiltInError(
    "app.user-missing", .userMissing, .needsUser,
    title: "Your account was not found",
    message: "The app does not know whose data this is.",
    suggestion: "Sign in, then try again.",
    actions: [.signIn, .retry, .dismiss])

  static func unsupportedProvider(_ name: String) -> BuiltInError {
    BuiltInError(
      "app.unsupported-provider", .unsupportedProvider, .permanent,
      title: "This provider can’t be used",
      message: "The app does not work with “\(public: name)”.",
      suggestion: "Choose another provider.")
  }

  static let app: [BuiltInError] = [
    healthDenied, cameraDenied, userMissing, unsupportedProvider("…"),
  ]
}
