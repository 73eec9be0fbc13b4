// SPDX-License-Identifier: Apache-2.0

/// What an answer says in its field `Link`: where else there is something, and what that is to it.
///
/// What is no link ends the reading; those before it count. Source: RFC 8288, sections 3 and B.2.
struct LinkField {
  private var rest: Substring.UnicodeScalarView

  /// The first address that stands in such a relation to the answer itself.
  ///
  /// - Parameters:
  ///   - relation: What is looked for, such as `next`; case does not matter.
  ///   - value: All fields of that name, joined by commas.
  /// - Returns: The address, as it was written; nil where there is none.
  static func target(_ relation: String, in value: String) -> String? {
    let relation = relation.lowercased()
    var field = LinkField(rest: Substring(value).unicodeScalars)
    while let (target, relations) = field.next() {
      if relations.contains(relation) { return target }
    }
    return nil
  }

  /// The next link, and what it is to the answer.
  private mutating func next() -> (target: String, relations: [String])? {
    skip { Self.isSpace($0) || $0 == "," }
    guard rest.popFirst() == "<", let end = rest.firstIndex(of: ">") else { return nil }
    let target = String(rest[..<end])
    rest = rest[rest.index(after: end)...]
    var relations: String?
    var isOfAnother = false
    while let (name, value) = parameter() {
      switch name {
      // Said twice, the first one counts.
      case "rel": relations = relations ?? value
      // It is about something else than the answer.
      case "anchor": isOfAnother = true
      default: break
      }
    }
    let names = isOfAnother ? nil : relations?.lowercased().split { $0 == " " || $0 == "\t" }
    return (target, names?.map(String.init) ?? [])
  }

  private mutating func parameter() -> (name: String, value: String)? {
    skip(Self.isSpace)
    guard rest.first == ";" else { return nil }
    skip { Self.isSpace($0) || $0 == ";" }
    let name = read { !Self.isSpace($0) && !["=", ";", ","].contains($0) }.lowercased()
    skip(Self.isSpace)
    guard rest.first == "=" else { return (name, "") }
    rest.removeFirst()
    skip(Self.isSpace)
    guard rest.first == "\"" else { return (name, read { $0 != ";" && $0 != "," }) }
    return (name, quoted())
  }

  private mutating func quoted() -> String {
    rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\"" {
      text.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(text)
  }

  private mutating func read(_ isMeant: (Unicode.Scalar) -> Bool) -> String {
    let text = rest.prefix(while: isMeant)
    rest = rest[text.endIndex...]
    return String(text)
  }

  private mutating func skip(_ isMeant: (Unicode.Scalar) -> Bool) {
    rest = rest.drop(while: isMeant)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
