// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import MainstayUI

/// What `item.mustache` reads: one item, its form, and the questions about it.
struct ItemDetailPage: Sendable {
  struct Fact: Sendable {
    let name: String
    var value: String?
    var time: TimeView?
  }

  struct QuestionView: Sendable {
    let name: String
    /// The item that it is about.
    let item: String
    let label: String
    let isDisabled: Bool
    /// Why it cannot be asked now.
    let reason: String?
    let task: TaskView
  }

  let id: String
  let key: String
  let version: Int
  /// What the form was filled with; see `EditBasis`.
  let basis: String
  let name: String
  let icon: String
  let photo: String?
  let byline: String?
  let sync: ItemLook.Sync
  let enrichment: ItemLook.Enrichment?
  let note: ItemLook.Note?
  let facts: [Fact]
  let fields: [FieldView]
  let questions: [QuestionView]
}

/// What stands in the form of an item.
struct ItemDraftView: Sendable {
  /// The key of a form that was sent: it may still be done by Retry, and is not done twice.
  var key = ""
  var typed: Typed
  /// The version of the item, and the basis, that the form was filled from.
  let version: Int
  let basis: String
}

extension ItemDraftView {
  /// A form that nobody has typed into.
  init(_ item: Item) {
    self.init(typed: Typed(item), version: item.version, basis: EditBasis(item).text)
  }
}

extension ItemDetailPage {
  /// - Parameters:
  ///   - item: The item.
  ///   - photo: The number of its photo.
  ///   - draft: What stands in the form.
  ///   - status: Which questions can be asked.
  ///   - isGivenUp: Whether a change of it stands among the dead letters.
  ///   - states: What became of the questions that were asked.
  init(
    _ item: Item, photo: Int64?, draft: ItemDraftView, status: StatusDocument,
    isGivenUp: Bool, states: [Question.Feature: TaskState<FeatureAnswer>]
  ) {
    id = item.id.text
    key = draft.key.isEmpty ? UUID().text : draft.key
    version = draft.version
    basis = draft.basis
    name = item.title
    icon = ItemLook.icon(item.kind)
    self.photo = ItemLook.photo(of: item, photo)
    let parts = [item.author, item.year.map(String.init)].compactMap { $0 }
    byline = parts.isEmpty ? nil : parts.joined(separator: ", ")
    sync = ItemLook.Sync(item.sync)
    enrichment = ItemLook.Enrichment(item.enrichment)
    note = ItemLook.Note(item, isGivenUp: isGivenUp)
    facts = Self.facts(item)
    fields = FieldView.item.filled(with: draft.typed)
    questions = Question.Feature.allCases.map { feature in
      QuestionView(
        feature, item, status.features.first { $0.name == feature.rawValue },
        states[feature] ?? .idle)
    }
  }

  private static func facts(_ item: Item) -> [Fact] {
    var facts: [Fact] = []
    if let barcode = item.barcode {
      facts.append(Fact(name: item.kind == .book ? "ISBN" : "Barcode", value: barcode))
    }
    if let location = item.location { facts.append(Fact(name: "Place", value: location)) }
    facts.append(Fact(name: "Quantity", value: String(item.quantity)))
    if let notes = item.notes { facts.append(Fact(name: "Notes", value: notes)) }
    if item.pending > 0 { facts.append(Fact(name: "Waiting to be sent", value: "\(item.pending)")) }
    facts.append(Fact(name: "Version", value: String(item.version)))
    facts.append(Fact(name: "Added", time: TimeView(item.createdAt)))
    facts.append(Fact(name: "Changed", time: TimeView(item.updatedAt)))
    return facts
  }
}

extension ItemDetailPage.QuestionView {
  init(
    _ feature: Question.Feature, _ item: Item, _ standing: StatusDocument.Feature?,
    _ state: TaskState<FeatureAnswer>
  ) {
    // A failure is in the dialog, where it can be tried again.
    let task = TaskView(state, words: TaskView.Words(loading: "Asking…"), text: \.answer)
    let reason = standing?.available == false ? standing?.reason : nil
    self.init(
      name: feature.rawValue, item: item.id.text, label: feature.label,
      isDisabled: task.busy != nil || reason != nil, reason: reason, task: task)
  }
}
