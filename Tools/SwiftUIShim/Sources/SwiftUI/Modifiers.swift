// SPDX-License-Identifier: Apache-2.0
// Declarations alone; see the README of this package.

extension View {
  public nonisolated func padding(_ length: CGFloat) -> some View { declared() as EmptyView }
  public nonisolated func padding(
    _ edges: Edge.Set = .all, _ length: CGFloat? = nil
  ) -> some View { declared() as EmptyView }
  public nonisolated func frame(
    minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil,
    minHeight: CGFloat? = nil, idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil,
    alignment: Alignment = .center
  ) -> some View { declared() as EmptyView }
  public nonisolated func fixedSize(horizontal: Bool, vertical: Bool) -> some View {
    declared() as EmptyView
  }
  public nonisolated func font(_ font: Font?) -> some View { declared() as EmptyView }
  public nonisolated func multilineTextAlignment(_ alignment: TextAlignment) -> some View {
    declared() as EmptyView
  }
  public nonisolated func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View {
    declared() as EmptyView
  }
  public nonisolated func id<ID: Hashable>(_ id: ID) -> some View { declared() as EmptyView }
  public nonisolated func background<S: ShapeStyle>(
    _ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all
  ) -> some View { declared() as EmptyView }
  public nonisolated func background<S: ShapeStyle, T: InsettableShape>(
    _ style: S, in shape: T
  ) -> some View { declared() as EmptyView }
  public nonisolated func background<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View { declared() as EmptyView }
  public nonisolated func overlay<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View { declared() as EmptyView }
  public nonisolated func safeAreaInset<V: View>(
    edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> V
  ) -> some View { declared() as EmptyView }
  public nonisolated func ignoresSafeArea() -> some View { declared() as EmptyView }
  public nonisolated func disabled(_ disabled: Bool) -> some View { declared() as EmptyView }
  @MainActor @preconcurrency
  public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
    declared() as EmptyView
  }
  @available(tvOS, unavailable)
  @available(watchOS, unavailable)
  public nonisolated func keyboardShortcut(_ shortcut: KeyboardShortcut?) -> some View {
    declared() as EmptyView
  }
  public nonisolated func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View {
    declared() as EmptyView
  }
  public nonisolated func navigationTitle(_ titleKey: LocalizedStringKey) -> some View {
    declared() as EmptyView
  }
  public nonisolated func toolbar<Content: View>(
    @ViewBuilder content: () -> Content
  ) -> some View { declared() as EmptyView }
}

// MARK: What appears and goes

extension View {
  public nonisolated func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping (Item) -> Content
  ) -> some View { declared() as EmptyView }
  public nonisolated func sheet<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View { declared() as EmptyView }
  @_disfavoredOverload
  public nonisolated func alert<S: StringProtocol, A: View, M: View, T>(
    _ title: S, isPresented: Binding<Bool>, presenting data: T?,
    @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
  ) -> some View { declared() as EmptyView }
  public nonisolated func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { declared() as EmptyView }
  public nonisolated func refreshable(
    @_inheritActorContext action: @escaping @Sendable () async -> Void
  ) -> some View { declared() as EmptyView }
  @available(tvOS, unavailable)
  @available(watchOS, unavailable)
  public nonisolated func onHover(perform action: @escaping (Bool) -> Void) -> some View {
    declared() as EmptyView
  }
  public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View {
    declared() as EmptyView
  }
  public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    declared() as EmptyView
  }
  public nonisolated func onSubmit(_ action: @escaping () -> Void) -> some View {
    declared() as EmptyView
  }
  public nonisolated func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
  ) -> some View { declared() as EmptyView }
  public nonisolated func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View { declared() as EmptyView }
  public nonisolated func animation<V: Equatable>(
    _ animation: Animation?, value: V
  ) -> some View { declared() as EmptyView }
  public nonisolated func transition(_ t: AnyTransition) -> some View { declared() as EmptyView }
  public nonisolated func focused<Value: Hashable>(
    _ binding: FocusState<Value>.Binding, equals value: Value
  ) -> some View { declared() as EmptyView }
}

// MARK: For people who do not see the screen

extension View {
  public nonisolated func accessibilityElement(
    children: AccessibilityChildBehavior = .ignore
  ) -> some View { declared() as EmptyView }
  @_disfavoredOverload
  public nonisolated func accessibilityLabel<S: StringProtocol>(
    _ label: S
  ) -> ModifiedContent<Self, AccessibilityAttachmentModifier> { fatalError() }
  @_disfavoredOverload
  public nonisolated func accessibilityHint<S: StringProtocol>(
    _ hint: S
  ) -> ModifiedContent<Self, AccessibilityAttachmentModifier> { fatalError() }
  public nonisolated func accessibilityHidden(
    _ hidden: Bool
  ) -> ModifiedContent<Self, AccessibilityAttachmentModifier> { fatalError() }
  public nonisolated func accessibilityAddTraits(
    _ traits: AccessibilityTraits
  ) -> ModifiedContent<Self, AccessibilityAttachmentModifier> { fatalError() }
  public nonisolated func accessibilityFocused(
    _ condition: AccessibilityFocusState<Bool>.Binding
  ) -> some View { declared() as EmptyView }
  public nonisolated func accessibilityFocused<Value: Hashable>(
    _ binding: AccessibilityFocusState<Value>.Binding, equals value: Value
  ) -> some View { declared() as EmptyView }
}

public struct AccessibilityAttachmentModifier: ViewModifier {
  public typealias Body = Never
  public func body(content: Content) -> Never { fatalError() }
}
