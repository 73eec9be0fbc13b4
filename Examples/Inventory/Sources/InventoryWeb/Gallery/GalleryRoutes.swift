// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Mainstay
import MainstayUI

/// The gallery: every state of the presenters, and parts to play with.
struct GalleryRoutes: Sendable {
  private let pages: PageRenderer
  /// Made once: real presenters have to be brought there.
  private let sections: Task<[GallerySection], Never>

  init(pages: PageRenderer) {
    self.pages = pages
    sections = Task { await GallerySection.all() }
  }

  func add(to table: RouteTable) {
    table.add("gallery", [.get: all])
    table.add("gallery/live", [.get: live])
    table.add("gallery/raise", [.post: raise])
    table.add("gallery/form", [.post: send])
    table.add("gallery/form/edit", [.post: edit])
    table.add("gallery/load", [.post: load])
    table.add("gallery/load/:action", [.post: load])
    table.add("gallery/:name", [.get: one])
    table.add("gallery/:name/:action", [.post: choose])
  }

  // MARK: Reading

  @Sendable func all(_ request: Request, _ context: VisitContext) async throws -> Response {
    await draw(GalleryPage(await sections.value), "Gallery", Visit(request))
  }

  @Sendable func one(_ request: Request, _ context: VisitContext) async throws -> Response {
    guard let name = context.parameters.get("name"),
      let page = GalleryPage(await sections.value, only: name)
    else { throw AppError.unknownAddress }
    return await draw(page, page.sections[0].heading, Visit(request))
  }

  private func draw(_ page: GalleryPage, _ title: String, _ visit: Visit) async -> Response {
    await pages.draw(.gallery, title, page, try? await pages.standing(), for: visit)
  }

  @Sendable func live(_ request: Request, _ context: VisitContext) async throws -> Response {
    let visit = Visit(request)
    let page = await page(for: visit)
    return await pages.draw(
      .live, "Try it", page, try? await pages.standing(), for: visit)
  }

  @MainActor private func page(for visit: Visit) -> GalleryLivePage {
    // Who only looks takes nobody's place.
    let live =
      visit.isNew
      ? GalleryLive(clock: ContinuousClock()) {} : pages.screens.screen(visit.screen).gallery
    return GalleryLivePage(live)
  }

  // MARK: Acting

  @Sendable func raise(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let form = try await request.form()
    guard let message = GalleryMessage(rawValue: form["what"]) else {
      throw AppError.unknownAddress
    }
    let visit = Visit(request, page: form.page(or: .live))
    await message.raise(on: pages.screens.screen(visit.screen))
    return Response.seeOther(visit.page).known(as: visit)
  }

  @Sendable func send(_ request: Request, _ context: VisitContext) async throws -> Response {
    let form = try await request.form()
    let visit = Visit(request, page: form.page(or: .live))
    let screen = await pages.screens.screen(visit.screen)
    await screen.waiting {
      guard await screen.gallery.send(form) else { return }
      screen.tell(Screen.Done("It was sent, to nobody."))
    }
    return Response.seeOther(visit.page).known(as: visit)
  }

  @Sendable func edit(_ request: Request, _ context: VisitContext) async throws -> Response {
    let form = try await request.form()
    let visit = Visit(request, page: form.page(or: .live))
    await pages.screens.screen(visit.screen).gallery.edit(form)
    return Response.seeOther(visit.page).known(as: visit)
  }

  @Sendable func load(_ request: Request, _ context: VisitContext) async throws -> Response {
    let form = try await request.form()
    // The buttons of an error are named by their actions, and have addresses of their own.
    let asked = context.parameters.get("action") ?? form["what"]
    guard let what = GalleryLive.Load(rawValue: asked) else { throw AppError.unknownAddress }
    let visit = Visit(request, page: form.page(or: .live))
    let screen = await pages.screens.screen(visit.screen)
    await screen.waiting { await screen.gallery.load(what) }
    return Response.seeOther(visit.page).known(as: visit)
  }

  /// A button of a state: there is nothing behind it.
  @Sendable func choose(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    guard let name = context.parameters.get("name"),
      GalleryPage(await sections.value, only: name) != nil
    else { throw AppError.unknownAddress }
    let form = try await request.form()
    let visit = Visit(request, page: form.page(or: .gallery))
    await pages.screens.screen(visit.screen).toasts.show(
      .info, "This is a picture of a button. “Try it” has some that work.")
    return Response.seeOther(visit.page).known(as: visit)
  }
}
