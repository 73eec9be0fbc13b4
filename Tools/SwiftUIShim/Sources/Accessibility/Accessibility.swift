// SPDX-License-Identifier: Apache-2.0
// Declarations alone; see the README of this package.

public import Foundation

public enum AccessibilityNotification {
  public struct Announcement: Sendable {
    public init(_ announcement: String) { fatalError() }
    public init(_ announcement: AttributedString) { fatalError() }
    public func post() { fatalError() }
  }
}

extension AttributeScopes {
  public struct AccessibilityAttributes: AttributeScope {
    public let accessibilitySpeechAnnouncementPriority: AnnouncementPriorityAttribute

    @frozen
    public enum AnnouncementPriorityAttribute: AttributedStringKey {
      public typealias Value = AnnouncementPriority
      public static let name = "accessibilitySpeechAnnouncementPriority"

      public enum AnnouncementPriority: Hashable, Sendable {
        case high, `default`, low
      }
    }
  }

  public var accessibility: AccessibilityAttributes.Type { fatalError() }
}

extension AttributeDynamicLookup {
  public subscript<T: AttributedStringKey>(
    dynamicMember keyPath: KeyPath<AttributeScopes.AccessibilityAttributes, T>
  ) -> T { fatalError() }
}
