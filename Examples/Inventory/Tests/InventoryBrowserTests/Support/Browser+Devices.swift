// SPDX-License-Identifier: Apache-2.0

import InventoryCore

/// How a person wants pages to look.
enum ColorScheme: String, Sendable, CaseIterable {
  case light, dark
}

// What the standard has no words for, by the protocol of Chromium's developer tools.
// https://chromedevtools.github.io/devtools-protocol/
extension Browser {
  private func tell(_ command: String, _ parameters: JSONValue) async throws {
    try await send(
      .post, "/chromium/send_command", ["cmd": .string(command), "params": parameters])
  }

  /// Asks pages for light or dark colours, and for no movement where that is wanted.
  func prefer(_ scheme: ColorScheme, isStill: Bool = false) async throws {
    try await tell(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": .string(scheme.rawValue)],
          ["name": "prefers-reduced-motion", "value": isStill ? "reduce" : "no-preference"],
        ]
      ])
  }

  /// Gives the page a window of another size, as of a phone.
  func resize(_ width: Int, _ height: Int, isPhone: Bool = false) async throws {
    try await tell(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(width), "height": .integer(height),
        "deviceScaleFactor": isPhone ? 2 : 1, "mobile": .bool(isPhone),
      ])
  }

  /// Lets pages run no script of their own any more; what a test asks still runs.
  ///
  /// Such a page cannot say that it has changed, so from now on `element` waits until it is there.
  func forbidScripts() async throws {
    try await tell("Emulation.setScriptExecutionDisabled", ["value": true])
    try await send(.post, "/timeouts", ["implicit": Self.limitInMilliseconds])
  }
}
