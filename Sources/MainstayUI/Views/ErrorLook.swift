// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  import SwiftUI

  extension ErrorPresentation.Tint {
    /// The colour, which is never the only sign: icon and words stand beside it.
    var color: Color {
      switch self {
      case .orange: .orange
      case .yellow: .yellow
      case .blue: .blue
      case .red: .red
      case .green: .green
      }
    }
  }

  extension RecoveryAction {
    /// The role of its button.
    var buttonRole: ButtonRole? {
      switch role {
      case .normal: nil
      case .cancel: .cancel
      case .destructive: .destructive
      }
    }
  }

  extension View {
    /// Lets something come and go, without movement for whoever does not want that.
    func appearing(from edge: Edge, reduceMotion: Bool) -> some View {
      let moving = AnyTransition.move(edge: edge).combined(with: .opacity)
      return transition(reduceMotion ? AnyTransition.opacity : moving)
    }
  }

  extension View {
    /// Lets a host show what it hosts while it is on screen and in front.
    func hosting(_ host: Host, in hosts: Hosts) -> some View {
      presence(of: ObjectIdentifier(hosts)) {
        hosts.enter(host)
      } ended: {
        hosts.leave(host)
      }
    }

    /// Does something while this view is on screen, and anew where it is about something else then,
    /// such as another presenter after a sign-in: the view itself appears only once.
    func presence(
      of subject: some Hashable, begun: @escaping () -> Void, ended: @escaping () -> Void
    ) -> some View {
      background {
        Color.clear
          .onAppear(perform: begun)
          .onDisappear(perform: ended)
          .id(subject)
          .accessibilityHidden(true)
      }
    }
  }

  /// What the views of an error show: the error, and how far somebody is with it.
  struct ErrorContent {
    let presentation: ErrorPresentation
    let actions: [RecoveryAction]
    var count = 1
    var alike: [ErrorPresentation] = []
    var progress: ActionProgress?
    var actionFailure: ErrorPresentation?
    /// What Help opens, where nobody else does.
    var pageToOpen: URL?
    let choose: @MainActor (RecoveryAction) -> Void

    init(
      _ presentation: ErrorPresentation, _ actions: [RecoveryAction]?,
      _ choose: @escaping @MainActor (RecoveryAction) -> Void
    ) {
      self.presentation = presentation
      self.actions = actions ?? presentation.actions
      pageToOpen = presentation.help
      self.choose = choose
    }

    @MainActor
    init(_ item: ErrorPresenter.Item, of presenter: ErrorPresenter) {
      self.init(item.presentation, item.actions) { presenter.begin($0, for: item.id) }
      (count, alike) = (item.count, item.alike)
      (progress, actionFailure) = (item.progress, item.actionFailure)
      pageToOpen = item.pageToOpen
    }
  }

  /// What it means, what to do, the same about something else, and why an action did not help.
  struct ErrorDetails: View {
    let content: ErrorContent

    var body: some View {
      Text(verbatim: content.presentation.message)
      ForEach(content.alike) { Text(verbatim: $0.message) }
      if let suggestion = content.presentation.suggestion {
        Text(verbatim: suggestion)
          .foregroundStyle(.secondary)
      }
      if let failure = content.actionFailure {
        Label {
          Text(verbatim: failure.message)
        } icon: {
          Image(systemName: failure.icon)
            .foregroundStyle(failure.tint.color)
            .accessibilityHidden(true)
        }
        .announcing(failure.accessibilityLabel)
      }
    }
  }

  /// The code for support, and how often it has happened.
  struct ErrorCodeLine: View {
    let content: ErrorContent

    var body: some View {
      HStack(spacing: 8) {
        Text(verbatim: content.presentation.code.rawValue)
          .font(.caption.monospaced())
        CountMark(count: content.count)
      }
      .foregroundStyle(.secondary)
    }
  }

  /// How often something has happened, where that was more than once.
  struct CountMark: View {
    let count: Int

    var body: some View {
      if count > 1 {
        Text(verbatim: "× \(count.formatted())")
          .font(.caption)
      }
    }
  }
#endif
