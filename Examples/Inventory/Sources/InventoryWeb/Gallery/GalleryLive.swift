// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayUI
import Observation

/// The live parts of the gallery on one screen: a form and a load that a person plays with.
@MainActor final class GalleryLive {
  /// What can be asked of the load.
  enum Load: String, Sendable, CaseIterable {
    case slowly, quickly, badly, cancel, retry, dismiss

    /// The words on the button; nil for one that stands with the error.
    var label: String? {
      switch self {
      case .slowly: "Load slowly"
      case .quickly: "Load quickly"
      case .badly: "Fail to load"
      case .cancel: "Stop"
      case .retry, .dismiss: nil
      }
    }
  }

  /// How long what is slow takes, and what is quick.
  static let (slow, quick) = (Duration.seconds(4), Duration.milliseconds(300))

  let form: FormModel<GalleryJoin>
  let model = TaskModel<String>(mapping: .inventory)
  private(set) var sentCount = 0
  private(set) var begunCount = 0
  private(set) var endedCount = 0
  private let clock: any Clock<Duration>
  private let changed: @MainActor () -> Void
  private var newest: Task<Void, Never>?

  /// - Parameters:
  ///   - clock: The clock by which answers take their time.
  ///   - changed: Called when what is shown has changed.
  init(clock: any Clock<Duration>, changed: @escaping @MainActor () -> Void) {
    self.clock = clock
    self.changed = changed
    form = FormModel(
      GalleryJoin(), fields: GalleryJoin.fields, mapping: .inventory, clock: clock)
    watch()
  }

  private func watch() {
    withObservationTracking {
      _ = (GalleryLivePage(self), model.state, model.isRecovering)
    } onChange: { [weak self] in
      Task { @MainActor in
        self?.watch()
        self?.changed()
      }
    }
  }
}

// The load.
extension GalleryLive {
  /// Does what was asked of the load.
  func load(_ what: Load) async {
    switch what {
    case .slowly: await begin { [clock] in try await clock.sleep(for: Self.slow) }
    case .quickly: await begin { [clock] in try await clock.sleep(for: Self.quick) }
    case .badly: await begin { throw AppError.timeout() }
    case .cancel: newest?.cancel()
    case .retry: await run { await $0.retry() }
    case .dismiss: model.dismissError()
    }
  }

  /// A load that fails succeeds when it is tried again.
  private func begin(_ wait: @escaping @MainActor () async throws -> Void) async {
    var hasFailed = false
    begunCount += 1
    let number = begunCount
    await run { model in
      await model.run("Load in the gallery") {
        if !hasFailed {
          do { try await wait() } catch {
            hasFailed = true
            throw error
          }
        }
        return "This is the answer to load \(number)."
      }
    }
  }

  private func run(_ work: @escaping @MainActor (TaskModel<String>) async -> Void) async {
    let run = Task { [model] in await work(model) }
    newest = run
    await run.value
    endedCount += 1
    changed()
  }
}

// The form.
extension GalleryLive {
  /// What stands in the form by now, and which field was left.
  func edit(_ sent: Form) {
    for field in GalleryJoin.all where sent.has(field.name) { form.set(field, sent[field.name]) }
    if let left = GalleryJoin.all.first(where: { $0.name == sent["left"] }) { form.leave(left) }
  }

  /// Sends the form to nobody.
  ///
  /// - Returns: Whether somebody would have got it.
  func send(_ sent: Form) async -> Bool {
    edit(sent)
    return await form.submit("Join in the gallery") { values in
      self.sentCount += 1
      switch values.email.split(separator: "@").last?.lowercased() {
      case "refused.example": throw AppError.galleryRefusal
      case "offline.example": throw AppError.offline()
      case "slow.example": try await self.clock.sleep(for: Self.slow)
      default: break
      }
    } != nil
  }
}

extension FormField<GalleryJoin, String> {
  /// What a form calls it.
  var name: String { pointer.tokens.joined(separator: "-") }
}

/// What `live.mustache` reads.
struct GalleryLivePage: Sendable {
  struct Button: Sendable {
    let id: String
    let label: String
    let isDisabled: Bool
  }

  let messages: [Button]
  let loads: [Button]
  let loaded: TaskView
  let loadCount: String
  let form: FormView
  let formCount: String
}

extension GalleryLivePage {
  @MainActor init(_ live: GalleryLive) {
    messages = GalleryMessage.allCases.map {
      Button(id: $0.rawValue, label: $0.label, isDisabled: false)
    }
    loads = GalleryLive.Load.allCases.compactMap { load in
      load.label.map {
        Button(
          id: load.rawValue, label: $0, isDisabled: load == .cancel && !live.model.isLoading)
      }
    }
    loaded = TaskView(
      live.model, in: ErrorPlace(element: "load-error", base: "/gallery/load", isModal: false))
    loadCount = "Begun: \(live.begunCount). Ended: \(live.endedCount)."
    form = FormView(
      live.form, element: "join", target: "/gallery/form", judge: "/gallery/form/edit")
    formCount = "Sent: \(live.sentCount)."
  }
}
