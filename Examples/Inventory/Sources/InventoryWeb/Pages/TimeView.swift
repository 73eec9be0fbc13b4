// SPDX-License-Identifier: Apache-2.0

import InventoryCore

/// A moment, for programs and for people.
struct TimeView: Sendable {
  let iso: String
  let text: String

  init(_ time: Timestamp) {
    iso = time.text
    text = time.words
  }
}
