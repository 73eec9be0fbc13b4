// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayJSONRPC

/// One numeric code of Ogmios, as the catalogue tells it.
struct OgmiosCode: Sendable {
  let code: Int
  /// The name in the schema of Ogmios.
  let name: String
  let advice: OgmiosAdvice
  let topic: OgmiosTopic
  /// What it means for the person.
  let meaning: String
  /// The members that its data may have.
  let fields: [String]

  private init(
    _ code: Int, _ name: String, _ advice: OgmiosAdvice, _ topic: OgmiosTopic, _ meaning: String,
    _ fields: [String]
  ) {
    self.code = code
    self.name = name
    self.advice = advice
    self.topic = topic
    self.meaning = meaning
    self.fields = fields
  }

  static func fix(
    _ code: Int, _ name: String, _ topic: OgmiosTopic, _ meaning: String, _ fields: String...
  ) -> OgmiosCode {
    OgmiosCode(code, name, .fix, topic, meaning, fields)
  }

  static func of(
    _ code: Int, _ name: String, _ advice: OgmiosAdvice, _ topic: OgmiosTopic, _ meaning: String,
    _ fields: String...
  ) -> OgmiosCode {
    OgmiosCode(code, name, advice, topic, meaning, fields)
  }
}
