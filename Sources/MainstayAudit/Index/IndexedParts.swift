// SPDX-License-Identifier: Apache-2.0

/// A declaration of a type, or an extension of one.
package struct IndexedType: Sendable {
  package enum Kind: Sendable { case enumeration, structure, classType, protocolType, `extension` }

  /// The last part of its name.
  package let name: String
  /// The name with those of the types around it: `Cart.Failure`.
  package let qualifiedName: String
  package let kind: Kind
  /// The last parts of the names that it inherits from or conforms to.
  package let inherited: [String]
  /// The declared types of its instance properties; empty where none is written.
  package let properties: [String: String]
  package let cases: [IndexedCase]
  /// Whether nobody outside its file can name it.
  package let isFileLocal: Bool
  package let isPublic: Bool
  package let pathClass: PathClass
  /// The folder below `Sources` that it lies in, with the path to it.
  package let target: String
  package let site: IndexedSite
  /// Where an extension of it can be written, in bytes from the start of its file; nil where an
  /// extension would need more than its name.
  let extensionPlace: Int?
  /// What an extension that needs Foundation needs besides.
  let importEdit: Edit?
  let generics: IndexedGenerics

  package var path: String { site.path }
  package var line: Int { site.line }

  /// Whether an extension with this name, which may start with a module, is one of this type.
  func isExtended(by name: String) -> Bool {
    name == qualifiedName || name.hasSuffix("." + qualifiedName)
  }
}

package struct IndexedCase: Sendable {
  package let name: String
  /// The types of what it carries.
  package let payload: [String]
  /// How a call of it reads: `(code:_:)`; nil where parts can be left out.
  let labels: String?
  package let site: IndexedSite
}

/// A place that something is said about, ready to become a finding.
package struct IndexedSite: Sendable {
  package let path: String
  package let line: Int
  let column: Int
  let endColumn: Int
  let source: String
  let anchor: Finding.Anchor
}

/// A use of an error type.
package struct IndexedUse: Sendable {
  /// The type's name, where it is written.
  package let type: String?
  /// The case or static member.
  package let member: String?
  package let pathClass: PathClass
  package let path: String
  package let line: Int
}

/// A member that code names, such as `Cart.empty`, `.empty` or `.failed(code: 1)`.
struct MemberUse: Sendable, Hashable {
  /// The type, where it is written or where what stands around it says so.
  let owner: String?
  /// How it is called: `(code:)`; nil where it is not called, and `*` where that cannot be told.
  let labels: String?
  /// Whether the type is written in front of the dot.
  let isExplicit: Bool
}

/// A name that stands in an alert or sheet, or that somebody else resets.
package struct AlertName: Sendable, Hashable {
  let name: String
  /// The type that has it, where the file says so.
  let owner: String?
}

/// One way from errors of a type to another type.
package struct IndexedConversion: Sendable, Hashable {
  package let from: String
  /// The type that declares it, or that it returns.
  package let into: String
  /// How a call of it reads around the error, such as `AppError.from(` and `)`; nil where it is
  /// an arm of something that takes any error.
  let call: Call?

  struct Call: Sendable, Hashable {
    let before: String
    let after: String

    func applied(to value: String) -> String { before + value + after }
  }
}

/// A chain of casts, or a switch over types, in one function that takes any error.
package struct IndexedCastList: Sendable {
  /// The types that it asks for, in order.
  package let types: [String]
  /// The type that the function makes of them.
  package let into: String?
  /// Whether it hands what it does not know to a conversion that takes any error.
  let isOpen: Bool
  package let site: IndexedSite
  package let pathClass: PathClass
  /// How one more arm reads.
  let arm: Arm?

  /// The text around the type and what becomes of the error in another arm.
  struct Arm: Sendable {
    /// Where it goes, in bytes from the start of the file.
    let place: Int
    let beforeType: String
    let afterType: String
    let afterValue: String
    /// The name of the error in it.
    let name: String

    func text(type: String, value: (String) -> String) -> String {
      beforeType + type + afterType + value(name) + afterValue
    }
  }
}

/// What one file adds to the index.
struct FileIndex: Sendable {
  var types: [IndexedType] = []
  var aliases: [String: [String]] = [:]
  var throwSites: [IndexedUse] = []
  var catchSites: [IndexedUse] = []
  var conversions: Set<IndexedConversion> = []
  var castLists: [IndexedCastList] = []
  var typeNames: Set<String> = []
  /// Enums with a `success` and a `failure` that carries nothing.
  var bareOutcomes: Set<String> = []
  var members: [String: Set<MemberUse>] = [:]
  var testMembers: [String: Set<MemberUse>] = [:]
  /// The texts of a `LocalizedError` that are read, of whatever type.
  var textReads: Set<String> = []
  var systemLoggers: Set<String> = []
  var alertNames: Set<AlertName> = []
  var errorTakers: [String: [IndexedErrorTaker]] = [:]
  /// The folder of the package whose manifest it is, and whether that is one for Swift 6.4.
  var package: (folder: String, isModern: Bool)?
  var target = ""
  var imports: Set<String> = []
}
