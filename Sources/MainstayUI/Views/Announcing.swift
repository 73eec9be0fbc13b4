// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Accessibility
  import Foundation
  import SwiftUI

  extension View {
    /// Tells a screen reader something as soon as it is there, and anew when it has changed.
    func announcing(_ text: String?) -> some View {
      onChange(of: text, initial: true) { _, text in
        if let text { announce(text) }
      }
    }
  }

  /// Tells a screen reader something; what is urgent is said to its end.
  func announce(_ text: String, isUrgent: Bool = false) {
    var words = AttributedString(text)
    if isUrgent { words.accessibilitySpeechAnnouncementPriority = .high }
    AccessibilityNotification.Announcement(words).post()
  }
#endif
