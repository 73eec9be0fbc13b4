// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay

  /// The words of views that no presenter has.
  enum ViewTexts {
    static let recovering = LocalizableText(
      key: "error.view.recovering.message", english: "Trying to put this right…")
  }
#endif
