// SPDX-License-Identifier: Apache-2.0
// Declarations alone; see the README of this package.

public struct VStack<Content: View>: View {
  public nonisolated init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) { fatalError() }
  public var body: Never { fatalError() }
}

public struct HStack<Content: View>: View {
  public nonisolated init(
    alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) { fatalError() }
  public var body: Never { fatalError() }
}

public struct ZStack<Content: View>: View {
  public nonisolated init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
    fatalError()
  }
  public var body: Never { fatalError() }
}

public struct Spacer: View, Sendable {
  public nonisolated init(minLength: CGFloat? = nil) { fatalError() }
  public var body: Never { fatalError() }
}

public struct ScrollView<Content: View>: View {
  public nonisolated init(
    _ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content
  ) { fatalError() }
  public var body: Never { fatalError() }
}

public struct ViewThatFits<Content: View>: View {
  public nonisolated init(
    in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content
  ) { fatalError() }
  public var body: Never { fatalError() }
}

public struct ForEach<Data, ID, Content> where Data: RandomAccessCollection, ID: Hashable {}

extension ForEach: View where Content: View {
  public var body: Never { fatalError() }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  public nonisolated init(
    _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) { fatalError() }
}

extension ForEach where Content: View {
  public nonisolated init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) { fatalError() }
}

public struct List<SelectionValue: Hashable, Content: View>: View {
  public var body: Never { fatalError() }
}

extension List where SelectionValue == Never {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
  public nonisolated init<Data: RandomAccessCollection, RowContent: View>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
  ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
    fatalError()
  }
}

public struct Form<Content: View>: View {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}

public struct Section<Parent, Content, Footer> {}

extension Section: View where Parent: View, Content: View, Footer: View {
  public var body: Never { fatalError() }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
  public nonisolated init(
    _ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content
  ) { fatalError() }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
}

public struct LabeledContent<Label, Content> {}

extension LabeledContent: View where Label: View, Content: View {
  public var body: Never { fatalError() }
}

extension LabeledContent where Label == Text, Content == Text {
  public nonisolated init<S: StringProtocol>(
    _ titleKey: LocalizedStringKey, value: S
  ) { fatalError() }
  @_disfavoredOverload
  public nonisolated init<S1: StringProtocol, S2: StringProtocol>(
    _ title: S1, value: S2
  ) { fatalError() }
}

public struct NavigationStack<Data, Root: View>: View {
  public nonisolated init(@ViewBuilder root: () -> Root) where Data == NavigationPath {
    fatalError()
  }
  public var body: Never { fatalError() }
}

public struct NavigationPath {}

public struct TabView<SelectionValue, Content>: View
where SelectionValue: Hashable, Content: View {
  public var body: Never { fatalError() }
}

extension TabView where SelectionValue == Int {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
}

@frozen
public struct HorizontalAlignment: Equatable, Sendable {
  public static let leading: HorizontalAlignment = declared()
  public static let center: HorizontalAlignment = declared()
  public static let trailing: HorizontalAlignment = declared()
}

@frozen
public struct VerticalAlignment: Equatable, Sendable {
  public static let top: VerticalAlignment = declared()
  public static let center: VerticalAlignment = declared()
  public static let firstTextBaseline: VerticalAlignment = declared()
}

@frozen
public struct Alignment: Equatable, Sendable {
  public static let center: Alignment = declared()
  public static let leading: Alignment = declared()
  public static let top: Alignment = declared()
  public static let bottom: Alignment = declared()
  public static let topTrailing: Alignment = declared()
}

@frozen
public enum Axis: Int8, CaseIterable, Sendable {
  case horizontal, vertical

  @frozen
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let horizontal: Axis.Set = declared()
    public static let vertical: Axis.Set = declared()
  }
}

@frozen
public enum VerticalEdge: Int8, CaseIterable, Sendable {
  case top, bottom
}

@frozen
public enum Edge: Int8, CaseIterable, Sendable {
  case top, leading, bottom, trailing

  @frozen
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let top: Edge.Set = declared()
    public static let bottom: Edge.Set = declared()
    public static let horizontal: Edge.Set = declared()
    public static let vertical: Edge.Set = declared()
    public static let all: Edge.Set = declared()
  }
}

@frozen
public enum TextAlignment: Hashable, CaseIterable, Sendable {
  case leading, center, trailing
}
