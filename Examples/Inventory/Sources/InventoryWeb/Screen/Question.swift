// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A question to the service about an item.
struct Question: Sendable, Hashable {
  /// What can be asked.
  enum Feature: String, Sendable, CaseIterable {
    case recallCheck = "recall-check"
    case resaleValue = "resale-value"
    case recipeIdeas = "recipe-ideas"

    /// The words on the button.
    var label: String {
      switch self {
      case .recallCheck: "Was it recalled?"
      case .resaleValue: "What is it worth?"
      case .recipeIdeas: "What can be cooked with it?"
      }
    }
  }

  let item: UUID
  let feature: Feature
}
