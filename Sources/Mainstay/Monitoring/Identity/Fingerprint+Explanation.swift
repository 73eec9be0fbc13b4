// SPDX-License-Identifier: Apache-2.0

extension Fingerprint {
  /// What decided about a group.
  public enum Tier: String, Sendable, Hashable, Codable, CaseIterable {
    /// A key given where the error was reported.
    case key
    /// The kind of an error that says where the program runs, and has no code of an author's.
    case environment
    /// The error's stable code.
    case code
    /// The error's type, and the name of its case where it has cases.
    case type
    /// Domain and number; for an enum only where the program was built without the names of cases,
    /// and then a new case may move the others.
    case domain
    /// The template of the error's words.
    case message
    /// A cancellation, which has no group.
    case cancellation
  }

  /// One thing about an error that decides about its group, or that might have.
  public struct Component: Sendable, Hashable, Codable {
    /// What it is, such as `code`, `type`, `case` or `cause.1.domain`.
    public let name: String
    /// The value.
    public let value: String
    /// Whether it decides.
    public let contributes: Bool
    /// Why it does or does not, in a few words.
    public let hint: String
  }

  /// Why an error is in its group.
  public struct Explanation: Sendable, Hashable, Codable {
    /// The group.
    public let fingerprint: Fingerprint
    /// What decided.
    public let tier: Tier
    /// What the group was made of, in the order in which it is hashed, and what was left out.
    public let components: [Component]
    /// Whether nothing but one error's own identity is in it, which can be remembered.
    let isWholeIdentity: Bool

    private enum CodingKeys: String, CodingKey { case fingerprint, tier, components }

    /// Decodes an explanation.
    ///
    /// - Throws: `DecodingError` where a part is missing or has another form.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      fingerprint = try container.decode(Fingerprint.self, forKey: .fingerprint)
      tier = try container.decode(Tier.self, forKey: .tier)
      components = try container.decode([Component].self, forKey: .components)
      isWholeIdentity = false
    }
  }

  /// Says what makes the group of an error.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - key: A name of your own for the group, as given to ``init(of:key:chain:mapping:)``.
  ///   - chain: Which causes count; the default is the ends.
  ///   - mapping: Which errors have a code; the default is ``ErrorMapping/current``.
  /// - Returns: The group, what decided, and every component with a hint.
  public static func explain(
    _ error: any Error, key: String? = nil, chain: Chain = .ends, mapping: ErrorMapping? = nil
  ) -> Explanation {
    (mapping ?? .current).whileCurrent {
      Explanation(of: error, key: key, chain: chain, mapped: ErrorSubject.mapped(error))
    }
  }
}

extension Fingerprint.Explanation: CustomStringConvertible {
  init(
    of error: any Error, key: String?, chain: Fingerprint.Chain, mapped: AppError?
  ) {
    let walk = CauseWalk(of: error, mapped: mapped)
    var list = ComponentList()
    let given = key.flatMap { Self.identity(key: $0, of: error) }
    if let given { list.add(given.parts, hint: "given where it was reported") }
    let decides = given == nil
    if let outermost = walk.outermost {
      list.add(
        outermost.parts, contributes: decides,
        hint: decides ? outermost.hint : "a key was given")
    }
    var number = 0
    for cause in walk.causes {
      let counts = decides && (cause.isInnermost || chain == .whole)
      if counts { number += 1 }
      list.add(cause, chain: chain, as: counts ? "cause.\(number)" : "between", counts, decides)
    }
    let tier = given?.tier ?? walk.outermost?.tier ?? walk.causes.first?.identity.tier ?? .type
    self.tier = tier
    components = list.components
    fingerprint = tier == .cancellation ? .cancellation : Fingerprint(hashing: list.hashed)
    isWholeIdentity = walk.causes.isEmpty && walk.outermost != nil
  }

  private static func identity(key: String, of error: any Error) -> ErrorIdentity? {
    guard PlainText.hasVisibleCharacters(key) else { return nil }
    let isMessage = ConversionDepth.identifying {
      key == PlainText.message(of: error) || key == String(describing: error)
    }
    return isMessage == true ? .key(MessageTemplate(key).redacted) : .key(key)
  }

  /// One line for each component: a plus for what decides, a minus for what does not.
  public var description: String {
    let lines = components.map {
      "\($0.contributes ? "+" : "-") \($0.name): \($0.value) (\($0.hint))"
    }
    return (["\(fingerprint) by \(tier.rawValue)"] + lines).joined(separator: "\n")
  }
}

/// Components in the order in which they are hashed.
private struct ComponentList {
  private(set) var components: [Fingerprint.Component] = []
  private(set) var hashed: [ErrorIdentity.Part] = []

  mutating func add(
    _ parts: [ErrorIdentity.Part], named prefix: String = "", contributes: Bool = true,
    hint: String
  ) {
    for part in parts {
      let name = prefix.isEmpty ? part.name : "\(prefix).\(part.name)"
      components.append(
        Fingerprint.Component(
          name: name, value: part.value, contributes: contributes, hint: hint))
      if contributes { hashed.append(ErrorIdentity.Part(name, part.value)) }
    }
  }

  mutating func add(
    _ cause: CauseWalk.Cause, chain: Fingerprint.Chain, as name: String, _ counts: Bool,
    _ decides: Bool
  ) {
    var parts = cause.identity.parts
    if chain == .whole, counts { parts.append(ErrorIdentity.Part("depth", String(cause.depth))) }
    var hint =
      if counts {
        cause.isInnermost ? "innermost cause" : "the whole chain was asked for"
      } else {
        decides ? "neither outermost nor innermost" : "a key was given"
      }
    if counts, cause.identity.isAmbiguous { hint += "; " + ErrorIdentity.ambiguityHint }
    add(parts, named: name, contributes: counts, hint: hint)
  }
}

extension ErrorIdentity {
  fileprivate static let ambiguityHint =
    "private or local: types of this name in other files are in it too, unless they have codes"

  fileprivate var hint: String {
    isAmbiguous ? tier.hint + "; " + Self.ambiguityHint : tier.hint
  }
}

extension Fingerprint.Tier {
  fileprivate var hint: String {
    switch self {
    case .key: "given where it was reported"
    case .environment: "errors of where the program runs group by kind alone"
    case .code: "the error's stable code"
    case .type: "type and case, without the values inside; a stable code survives renaming"
    case .domain: "the number that its author gave it, or the ordinal of a case without a name"
    case .message: "the words with what changes taken out; a stable code would be surer"
    case .cancellation: "somebody stopped the work: no group"
    }
  }
}
