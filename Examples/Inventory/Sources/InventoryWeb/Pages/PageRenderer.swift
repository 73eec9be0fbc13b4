// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay
import MainstayUI

/// Draws pages for a visitor.
struct PageRenderer: Sendable {
  let inventory: Inventory
  let screens: Screens
  private let library: PageLibrary

  /// - Throws: `StartFailure` that names the template that cannot be read.
  init(_ inventory: Inventory, _ screens: Screens) throws(StartFailure) {
    self.inventory = inventory
    self.screens = screens
    library = try PageLibrary()
  }

  /// How everything stands, which each page says in its head.
  struct Standing: Sendable {
    let status: StatusDocument
    let conflicts: [ItemConflict]
  }

  func standing() async throws(AppError) -> Standing {
    Standing(
      status: try await inventory.status(), conflicts: try await inventory.store.conflicts())
  }

  /// Draws a page.
  ///
  /// - Parameters:
  ///   - kind: Which page.
  ///   - title: What it is called.
  ///   - content: What the template reads beside the frame.
  ///   - standing: How everything stands; nil where nobody could find out.
  ///   - visit: For whom.
  ///   - code: The status of the answer.
  /// - Returns: The page.
  func draw(
    _ kind: PageLibrary.Page, _ title: String, _ content: some Sendable, _ standing: Standing?,
    for visit: Visit, _ code: HTTPResponse.Status = .ok
  ) async -> Response {
    let screen = visit.isNew ? .empty : await screens.screen(visit.screen).view
    let view = PageView(
      title: title, address: visit.page.address,
      nav: NavigationView.all(current: kind, conflicts: standing?.conflicts.count ?? 0),
      standing: standing.map { StandingView($0.status) } ?? .unknown, toasts: screen.toasts,
      notice: screen.notice, dialog: screen.dialog, page: content)
    return Response.html(library.render(kind, view), code).known(as: visit)
  }

  /// Draws an error in place of a page.
  func draw(_ error: AppError, for visit: Visit) async -> Response {
    let failure = FailureView(error, again: visit.isReading ? visit.page.address : nil)
    var response = await draw(
      .problem, error.title.description, ProblemPage(failure: failure), try? await standing(),
      for: visit,
      error.answerStatus)
    response.headers[.allow] = error.metadata["http.allow"]
    return response
  }
}

// The pages with forms, which are drawn again where something was mistyped.
extension PageRenderer {
  /// The list; what is asked for is `query`, a search, and `after`, where the page begins.
  func list(
    _ asked: Form, _ forms: ListPage.Forms = ListPage.Forms(), for visit: Visit,
    _ code: HTTPResponse.Status = .ok
  ) async throws(AppError) -> Response {
    let standing = try await standing()
    let query = asked["query"].trimmingCharacters(in: .whitespacesAndNewlines)
    let after = asked["after"].isEmpty ? nil : asked["after"]
    let found = try await inventory.store.items(
      query: query, limit: ListPage.length, after: after)
    let photos = try await inventory.store.photoNumbers(of: found.items.map(\.id))
    let page = ListPage(found, photos: photos, query: query, forms: forms)
    return await draw(.list, "Items", page, standing, for: visit, code)
  }

  /// The page of an item; in its form stands the draft, by default the item as it is.
  func item(
    _ id: UUID, _ draft: (Item) -> ItemDraftView = ItemDraftView.init, for visit: Visit,
    _ code: HTTPResponse.Status = .ok
  ) async throws(AppError) -> Response {
    let standing = try await standing()
    let item = try await inventory.store.item(id)
    let photos = try await inventory.store.photoNumbers(of: [id])
    let letters = item.sync == .rejected ? try await inventory.deadLetters(about: id) : []
    let page = ItemDetailPage(
      item, photo: photos[id], draft: draft(item), status: standing.status,
      isGivenUp: !letters.isEmpty, states: visit.isNew ? [:] : await states(of: id, visit.screen))
    return await draw(.item, item.title, page, standing, for: visit, code)
  }

  @MainActor private func states(
    of item: UUID, _ id: ScreenID
  ) -> [Question.Feature: TaskState<FeatureAnswer>] {
    let screen = screens.screen(id)
    let states = Question.Feature.allCases.map { feature in
      (feature, screen.state(of: Question(item: item, feature: feature)))
    }
    return Dictionary(uniqueKeysWithValues: states)
  }
}
