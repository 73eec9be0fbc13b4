// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// A screen of one piece of work: its content, the error over it, and what is under way.
  ///
  /// ```swift
  /// TaskView(books) { books in
  ///   List(books) { Text($0.title) }
  /// } empty: {
  ///   ContentUnavailableView("No books yet", systemImage: "books.vertical")
  /// }
  /// .task { await books.run("Load books") { try await service.books() } }
  /// ```
  ///
  /// A value stays on screen while it is loaded anew and when that fails. Pulling it down loads it
  /// anew; that does nothing while it is loading.
  public struct TaskView<Value, Content: View, Empty: View>: View {
    private let model: TaskModel<Value>
    private let perform: (@MainActor (RecoveryAction, AppError) -> Void)?
    private let performed: PerformedActions
    private let content: (Value) -> Content
    private let empty: () -> Empty

    @Environment(\.locale) private var locale
    @Environment(\.accessibilityReduceMotion) private var reduceMotion

    /// Makes a screen.
    ///
    /// - Parameters:
    ///   - model: The work.
    ///   - performs: What `perform` begins, such as `[.signIn]`: no other action has a button.
    ///     Nil, the default, is all that errors offer.
    ///   - perform: Begins what a person chose, besides retry and dismiss; nil, the default, leaves
    ///     the buttons for everything else out, but for Help, whose page the screen opens.
    ///   - content: What shows a value.
    ///   - empty: What is shown where there is nothing to show.
    public init(
      _ model: TaskModel<Value>, performs: [RecoveryAction]? = nil,
      perform: (@MainActor (RecoveryAction, AppError) -> Void)? = nil,
      @ViewBuilder content: @escaping (Value) -> Content,
      @ViewBuilder empty: @escaping () -> Empty
    ) {
      self.model = model
      self.perform = perform
      performed = PerformedActions(performs, byAnybody: perform != nil)
      self.content = content
      self.empty = empty
    }

    /// The screen.
    public var body: some View {
      main
        .overlay(alignment: .top) { indicator }
        .refreshable { [model] in await model.refresh() }
        .animation(reduceMotion ? nil : .default, value: model.error?.id)
    }

    @ViewBuilder
    private var main: some View {
      // In one place for all states: so a list keeps where it was scrolled to while it loads anew.
      if let value = model.value {
        content(value)
          .covered(by: model.error != nil) {
            if let error = model.error { card(error) }
          }
      } else if let error = model.error {
        page(error)
      } else if model.isEmpty {
        empty()
      } else {
        // Not nothing: what stands on nothing, such as `task`, never begins.
        Color.clear
      }
    }

    @ViewBuilder
    private var indicator: some View {
      if model.isRecovering {
        ProgressView(ViewTexts.recovering.string(in: locale))
          .padding(12)
          .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 12))
          .padding()
          .announcing(ViewTexts.recovering.string(in: locale))
      } else if model.isLoading {
        ProgressView()
          .padding()
      }
    }

    @ViewBuilder
    private func card(_ error: AppError) -> some View {
      if let presentation = model.presentation(in: locale) {
        ErrorOverlay(content(presentation, actions, error))
      }
    }

    @ViewBuilder
    private func page(_ error: AppError) -> some View {
      if let presentation = model.presentation(in: locale) {
        ErrorPage(content(presentation, pageActions, error))
      }
    }

    private var actions: [RecoveryAction] { model.actions(performed: performed) }

    private var pageActions: [RecoveryAction] { model.pageActions(performed: performed) }

    private func content(
      _ presentation: ErrorPresentation, _ actions: [RecoveryAction], _ error: AppError
    ) -> ErrorContent {
      var content = ErrorContent(presentation, actions) { choose($0, error) }
      if performed.contains(RecoveryAction.help.id) { content.pageToOpen = nil }
      return content
    }

    private func choose(_ action: RecoveryAction, _ error: AppError) {
      if !model.begin(action) { perform?(action, error) }
    }
  }

  #Preview("Work that failed") {
    PreviewTask(error: AppError.timeout())
  }
#endif
