// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI
import TestSupport
import Testing

/// The words of screens besides errors and forms: those of the connection, and of views, which
/// are not there without SwiftUI.
@Suite(.requirement("B43")) struct ScreenTextsTests {
  @Test(arguments: ["de", "es", "fr", "ja", "zh-Hans"])
  func `each language has all words of screens, and no others`(_ language: String) {
    let all: Set = [
      "error.connection.connected.message", "error.connection.back.message",
      "error.connection.reconnecting.message", "error.connection.disconnected.message",
      "error.connection.failed.message", "error.connection.portal.message",
      "error.view.recovering.message",
    ]
    let prefixes = ["error.connection.", "error.view."]
    let translated = TextCatalog.builtInKeys(in: language)
      .filter { key in prefixes.contains(where: key.hasPrefix) }
    #expect(translated == all)
  }

  @Test func `the connection is said in the language of the reader`() {
    let said = ConnectionStatus.allCases.map {
      ConnectionPresentation($0, locale: Locale(identifier: "de")).title
    }
    let english = ConnectionStatus.allCases.map {
      ConnectionPresentation($0, locale: Locale(identifier: "en")).title
    }
    #expect(said.contains("Keine Verbindung") && Set(said).isDisjoint(with: english))
  }
}
