// SPDX-License-Identifier: Apache-2.0
// Declarations alone; see the README of this package.

public protocol ShapeStyle: Sendable {}

public struct Color: ShapeStyle, Hashable {
  public static let red: Color = declared()
  public static let orange: Color = declared()
  public static let yellow: Color = declared()
  public static let green: Color = declared()
  public static let blue: Color = declared()
  public static let black: Color = declared()
  public static let clear: Color = declared()
  public func opacity(_ opacity: Double) -> Color { fatalError() }
}

extension Color: View {
  public var body: Never { fatalError() }
}

@frozen
public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var primary: HierarchicalShapeStyle { fatalError() }
  public static var secondary: HierarchicalShapeStyle { fatalError() }
}

public struct Material: ShapeStyle {}

extension ShapeStyle where Self == Material {
  public static var regularMaterial: Material { fatalError() }
}

public protocol Shape: Sendable, View {}

extension Shape {
  public nonisolated func fill<S: ShapeStyle>(_ content: S) -> some View {
    declared() as EmptyView
  }
}

public protocol InsettableShape: Shape {}

@frozen
public struct Rectangle: InsettableShape {
  public nonisolated init() {}
  public var body: Never { fatalError() }
}

@frozen
public struct Circle: InsettableShape {
  public nonisolated init() {}
  public var body: Never { fatalError() }
}

@frozen
public struct RoundedRectangle: InsettableShape {
  public nonisolated init(cornerRadius: CGFloat) {}
  public var body: Never { fatalError() }
}

@frozen
public struct Font: Hashable, Sendable {
  public static let title2: Font = declared()
  public static let headline: Font = declared()
  public static let subheadline: Font = declared()
  public static let body: Font = declared()
  public static let callout: Font = declared()
  public static let footnote: Font = declared()
  public static let caption: Font = declared()
  public static let largeTitle: Font = declared()
  public func monospaced() -> Font { fatalError() }
}

@frozen
public struct Animation: Equatable, Sendable {
  public static let `default`: Animation = declared()
}

@frozen
public struct AnyTransition: Sendable {
  public static let opacity: AnyTransition = declared()
  public static func move(edge: Edge) -> AnyTransition { fatalError() }
  public func combined(with other: AnyTransition) -> AnyTransition { fatalError() }
}

@MainActor @preconcurrency
public protocol PrimitiveButtonStyle {}

public struct BorderedButtonStyle: PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle {}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
  @MainActor @preconcurrency public static var bordered: BorderedButtonStyle { fatalError() }
}

extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
  @MainActor @preconcurrency public static var borderedProminent: BorderedProminentButtonStyle {
    fatalError()
  }
}

extension PrimitiveButtonStyle where Self == PlainButtonStyle {
  @MainActor @preconcurrency public static var plain: PlainButtonStyle { fatalError() }
}

public struct AccessibilityTraits: SetAlgebra, Sendable {
  public typealias Element = AccessibilityTraits
  public static let isHeader: AccessibilityTraits = declared()
  public static let isModal: AccessibilityTraits = declared()
  public static let updatesFrequently: AccessibilityTraits = declared()
  public init() { fatalError() }
  public func union(_ other: AccessibilityTraits) -> AccessibilityTraits { fatalError() }
  public mutating func formUnion(_ other: AccessibilityTraits) { fatalError() }
  public func intersection(_ other: AccessibilityTraits) -> AccessibilityTraits { fatalError() }
  public mutating func formIntersection(_ other: AccessibilityTraits) { fatalError() }
  public func symmetricDifference(_ other: AccessibilityTraits) -> AccessibilityTraits {
    fatalError()
  }
  public mutating func formSymmetricDifference(_ other: AccessibilityTraits) { fatalError() }
  public func contains(_ member: AccessibilityTraits) -> Bool { fatalError() }
  public mutating func insert(
    _ newMember: AccessibilityTraits
  ) -> (inserted: Bool, memberAfterInsert: AccessibilityTraits) { fatalError() }
  public mutating func remove(_ member: AccessibilityTraits) -> AccessibilityTraits? {
    fatalError()
  }
  public mutating func update(with newMember: AccessibilityTraits) -> AccessibilityTraits? {
    fatalError()
  }
}

public struct AccessibilityChildBehavior: Hashable, Sendable {
  public static let ignore: AccessibilityChildBehavior = declared()
  public static let contain: AccessibilityChildBehavior = declared()
  public static let combine: AccessibilityChildBehavior = declared()
}

@frozen
public struct KeyboardShortcut: Sendable {
  public static let defaultAction: KeyboardShortcut = declared()
  public static let cancelAction: KeyboardShortcut = declared()
}
