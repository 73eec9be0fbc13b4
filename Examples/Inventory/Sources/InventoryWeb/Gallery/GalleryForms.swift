// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayUI

/// The states of a form.
@MainActor enum GalleryForms {
  static func states() async -> [GalleryState] {
    [
      state("untouched", "Untouched", "Nothing was entered, so nothing is wrong.", model()),
      left(), checking(), await sent(), await refused(), await failed(), await busy(),
    ]
  }

  private static func model(_ values: GalleryJoin = GalleryJoin()) -> FormModel<GalleryJoin> {
    FormModel(values, fields: GalleryJoin.fields, mapping: .inventory)
  }

  private static func state(
    _ name: String, _ caption: String, _ remark: String, _ form: FormModel<GalleryJoin>
  ) -> GalleryState {
    var state = GalleryState("form", name, caption, remark)
    state.filled = FormView(
      form, element: "\(state.name)-form",
      target: "\(GalleryState.address(of: state.name))/send")
    return state
  }

  private static func left() -> GalleryState {
    let form = model()
    form.set(GalleryJoin.emailField, GalleryJoin.bad.email)
    form.leave(GalleryJoin.nameField)
    form.leave(GalleryJoin.emailField)
    return state(
      "left", "Left with a mistake",
      "What was mistyped is said as soon as its field is left; what is empty is not.", form)
  }

  private static func checking() -> GalleryState {
    let form = model()
    form.set(GalleryJoin.nameField, GalleryJoin.good.name)
    return state("checking", "Being checked", "Somebody is asked about the name.", form)
  }

  private static func sent() async -> GalleryState {
    let form = model(GalleryJoin.bad)
    await form.submit { _ in }
    return state(
      "sent", "Sent with mistakes", "Nothing was sent. All that is wrong stands at the top too.",
      form)
  }

  private static func refused() async -> GalleryState {
    let form = model(GalleryJoin.good)
    await form.submit { _ in throw AppError.galleryRefusal }
    return state(
      "refused", "Refused by the service", "Its answer names the fields.", form)
  }

  private static func failed() async -> GalleryState {
    let form = model(GalleryJoin.good)
    await form.submit { _ in throw AppError.offline() }
    return state(
      "failed", "Could not be sent", "It is about no field, so it stands above them.", form)
  }

  private static func busy() async -> GalleryState {
    let (form, begun, end) = (model(GalleryJoin.good), Gate(), Gate())
    let sending = Task {
      await form.submit { _ in
        begun.open()
        await end.pass()
      }
    }
    await begun.pass()
    let state = state("busy", "On its way", "A second tap sends nothing.", form)
    end.open()
    await sending.value
    return state
  }
}

extension AppError {
  /// What a service says that does not like two of the fields.
  static var galleryRefusal: AppError {
    let mistakes: [AppError] = [
      .validation(
        "Nobody with this name is expected.", suggestion: "Write it as on your card.",
        field: "/name"),
      .validation("Mail to this address comes back.", field: "/email"),
    ]
    return AppError(
      code: "gallery.refused", kind: .validation, disposition: .permanent, severity: .info,
      title: "Please check what you entered",
      message: "The service did not accept it.", underlying: mistakes)
  }
}
