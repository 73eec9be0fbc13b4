// SPDX-License-Identifier: Apache-2.0

/// What `help.mustache` reads: a section for each subject.
struct HelpPage: Sendable {
  struct Section: Sendable {
    let id: String
    let name: String
    let paragraphs: [String]
  }

  let subjects = HelpSubject.allCases.map {
    Section(id: $0.rawValue, name: $0.name, paragraphs: $0.paragraphs)
  }
}

extension HelpSubject {
  var name: String {
    switch self {
    case .service: "The service can’t be reached"
    case .signIn: "The network asks to sign in"
    case .conflicts: "Changed in two places"
    case .givenUp: "Given up"
    case .space: "Not enough space"
    case .catalog: "The catalog does not know a book"
    case .scanning: "Scanning"
    }
  }

  /// What it means for the person, and what can be done.
  fileprivate var paragraphs: [String] {
    switch self {
    case .service:
      [
        "You can go on: scanning, adding, editing, searching and deleting work without the "
          + "service. What you change is kept on this device and sent as soon as the service can "
          + "be reached, once and in order. “Pending” at the top says how much waits.",
        "What asks the service, such as what a thing is worth, has to wait. After several "
          + "failures the app leaves the service alone for a moment before it tries again.",
      ]
    case .signIn:
      [
        "A hotel, a train or a café answers with its own page until you have signed in there. "
          + "The app does not take that page for an answer, so nothing is lost or sent to it.",
        "Open any other page in your browser, sign in, and come back: what waits is sent by "
          + "itself.",
      ]
    case .conflicts:
      [
        "When the same field was changed here and at the service, somebody has to decide. The "
          + "page Conflicts shows what was there before, what is here, and what is there.",
        "Everything else goes on meanwhile; only this item waits. Quantities never conflict: "
          + "both changes are counted.",
        "If an item was changed while you were editing it, your text stays in the form and the "
          + "new value stands under the field. Saving again keeps yours.",
      ]
    case .givenUp:
      [
        "Some changes can’t be sent, however often they are tried, because the service refuses "
          + "them. They are kept on the page Status, with the reason.",
        "“Try again” sends one once more, for example after you have corrected the item. "
          + "“Discard” throws it away; what is on this device stays as it is.",
      ]
    case .space:
      [
        "What you entered could not be written, because the device has no room left. Nothing "
          + "that was accepted before is lost.",
        "Delete something large or empty the trash, then choose Try Again in the message, or "
          + "send the form once more.",
      ]
    case .catalog:
      [
        "Books are looked up by their number. Not every book is in the catalog: small presses, "
          + "old editions and school books often are not.",
        "Open the item and enter title and author by hand. Nothing else is missing: it is kept "
          + "and sent like any other.",
      ]
    case .scanning:
      [
        "Taken are the 13 digits of an EAN or ISBN, the 12 of a UPC, and the 10 of an older "
          + "ISBN, with or without hyphens. The last one is a check digit: it says whether the "
          + "others were read right.",
        "If a code is refused, scan it again or type the digits below the bars. A thing without "
          + "a barcode is added by hand.",
      ]
    }
  }
}
