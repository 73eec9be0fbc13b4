// SPDX-License-Identifier: Apache-2.0
// Declarations alone; see the README of this package.

public struct Text: View, Equatable, Sendable {
  @_disfavoredOverload
  public nonisolated init<S: StringProtocol>(_ content: S) { fatalError() }
  public nonisolated init(verbatim content: String) { fatalError() }
  public nonisolated init(
    _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil,
    comment: StaticString? = nil
  ) { fatalError() }
  public var body: Never { fatalError() }
}

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
  public init(_ value: String) { fatalError() }
  public init(stringLiteral value: String) { fatalError() }
}

public struct Image: View, Equatable, Sendable {
  public nonisolated init(systemName: String) { fatalError() }
  public var body: Never { fatalError() }
}

public struct Label<Title, Icon> {}

extension Label: View where Title: View, Icon: View {
  public nonisolated init(
    @ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon
  ) { fatalError() }
  public var body: Never { fatalError() }
}

extension Label where Title == Text, Icon == Image {
  public nonisolated init(_ titleKey: LocalizedStringKey, systemImage name: String) {
    fatalError()
  }
  @_disfavoredOverload
  public nonisolated init<S: StringProtocol>(_ title: S, systemImage name: String) { fatalError() }
}

public struct ButtonRole: Equatable, Sendable {
  public static let destructive: ButtonRole = declared()
  public static let cancel: ButtonRole = declared()
}

public struct Button<Label>: View where Label: View {
  @preconcurrency
  public nonisolated init(
    action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
  ) { fatalError() }
  @preconcurrency
  public nonisolated init(
    role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
  ) { fatalError() }
  public var body: Never { fatalError() }
}

extension Button where Label == Text {
  @preconcurrency
  public nonisolated init(
    _ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void
  ) { fatalError() }
  @preconcurrency
  public nonisolated init(
    _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) { fatalError() }
  @preconcurrency @_disfavoredOverload
  public nonisolated init<S: StringProtocol>(
    _ title: S, action: @escaping @MainActor () -> Void
  ) { fatalError() }
  @preconcurrency @_disfavoredOverload
  public nonisolated init<S: StringProtocol>(
    _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) { fatalError() }
}

extension Button where Label == SwiftUI.Label<Text, Image> {
  @preconcurrency
  public nonisolated init(
    _ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void
  ) { fatalError() }
}

public struct TextField<Label>: View where Label: View {
  public var body: Never { fatalError() }
}

extension TextField where Label == Text {
  public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
  @_disfavoredOverload
  public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) { fatalError() }
}

public struct Toggle<Label>: View where Label: View {
  public var body: Never { fatalError() }
}

extension Toggle where Label == Text {
  public nonisolated init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) { fatalError() }
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
  public var body: Never { fatalError() }
}

extension ProgressView where CurrentValueLabel == EmptyView {
  public nonisolated init() where Label == EmptyView { fatalError() }
  public nonisolated init(@ViewBuilder label: () -> Label) { fatalError() }
  @_disfavoredOverload
  public nonisolated init<S: StringProtocol>(_ title: S) where Label == Text { fatalError() }
}

extension ProgressView {
  public nonisolated init<V: BinaryFloatingPoint>(
    value: V?, total: V = 1.0
  ) where Label == EmptyView, CurrentValueLabel == EmptyView { fatalError() }
}

public struct ContentUnavailableView<Label, Description, Actions>: View
where Label: View, Description: View, Actions: View {
  public nonisolated init(
    @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
    @ViewBuilder actions: () -> Actions = { EmptyView() }
  ) { fatalError() }
  public var body: Never { fatalError() }
}

extension ContentUnavailableView
where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
  public nonisolated init(
    _ title: LocalizedStringKey, systemImage name: String, description: Text? = nil
  ) { fatalError() }
}
