// SPDX-License-Identifier: Apache-2.0

/// One small change of a program that its tests should notice.
public struct Mutant: Sendable, Hashable {
  /// What kind of change it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// `<` and `<=`, `>` and `>=`, `==` and `!=`.
    case comparison
    /// A condition that holds when it should not, and the other way round.
    case condition
    /// `&&` and `||`.
    case connective
    /// A guard that lets everything pass.
    case guardPasses = "guard passes"
    /// A binding or a match that always fails.
    case bindingFails = "binding fails"
    /// `+` and `-`, `*` and `/`.
    case arithmetic
    /// A number that is one more or one less.
    case constant
    /// A range that ends one earlier.
    case bound
    /// Another case without a payload of the same enum.
    case state
    /// `min` and `max`.
    case choice
    /// `true` and `false`, and nil where something is returned.
    case literal
    /// A statement that is left out.
    case removed
  }

  /// By what a mutant is known from one run to the next: never by the number of its line.
  public struct Key: Sendable, Hashable {
    /// The name of the file, without folders.
    public var file: String
    /// The lines that are changed, in one line.
    public var original: String
    /// The same with the change.
    public var mutated: String
    /// Which of several that look the same, from 1.
    public var occurrence = 1
  }

  /// What switches it on; 1 or more.
  public let number: Int
  /// What kind of change it is.
  public let kind: Kind
  /// The line, counted from 1.
  public let line: Int
  /// By what it is known.
  public let key: Key
}

/// A place of a file that can be changed in one or more ways.
struct MutationPoint {
  /// How the change is written into the program beside the original.
  enum Form {
    /// A conditional expression.
    case expression
    /// A conditional statement.
    case statement
    /// A number that is stepped up or down as the program runs.
    case number
    /// One more condition in front of a binding.
    case insertion
  }

  struct Alternative {
    let kind: Mutant.Kind
    /// What stands in the place of the original, as Swift; for people too.
    let text: String
  }

  /// The bytes of the original.
  var range: Range<Int>
  var form: Form
  var alternatives: [Alternative]
}
