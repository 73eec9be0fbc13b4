// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// What a feature that needs the network says about a thing.
package struct FeatureAnswer: Sendable, Equatable, Codable {
  package let name: String

  /// The thing, as it was asked for.
  package let subject: String

  /// A sentence for people.
  package let answer: String

  /// True: nobody looked anything up.
  package let sample: Bool
}

/// The features that need the network.
///
/// Their answers are made up from the letters of the subject.
struct FeatureRoutes: Sendable {
  enum Feature: String, CaseIterable {
    case recallCheck = "recall-check"
    case resaleValue = "resale-value"
    case recipeIdeas = "recipe-ideas"

    func answer(_ subject: String) -> String {
      let sum = subject.utf8.reduce(0) { $0 + Int($1) }
      switch self {
      case .recallCheck: return "No recall of \(subject) is known."
      case .resaleValue: return "\(subject) is worth about \(2 + sum % 48) euros."
      case .recipeIdeas:
        let ideas = ["a soup", "a salad", "a pie", "a stew", "a cake"]
        return "With \(subject) you could make \(ideas[sum % ideas.count])."
      }
    }
  }

  func add(to table: RouteTable) { table.add("features/:name", [.get: read]) }

  @Sendable func read(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let name = try context.part("name")
    guard let feature = Feature(rawValue: name) else {
      let names = Feature.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem.notFound("There is no feature \(name), but there are \(names).")
    }
    let subject = request.uri.queryParameters.get("subject").flatMap { $0.isEmpty ? nil : $0 }
    let thing = subject ?? "this thing"
    return try .json(
      FeatureAnswer(name: name, subject: thing, answer: feature.answer(thing), sample: true))
  }
}
