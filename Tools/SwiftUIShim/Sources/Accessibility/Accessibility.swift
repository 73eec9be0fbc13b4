// SPDX-License-Identifier: Apache-2.0
// Declarations alone; see the README of this package.

public enum AccessibilityNotification {
  public struct Announcement: Sendable {
    public init(_ announcement: String) { fatalError() }
    public func post() { fatalError() }
  }
}
