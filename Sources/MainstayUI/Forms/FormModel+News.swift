// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Mainstay

extension FormModel {
  /// What was found out about a field while the person was in another one: what a screen reader is
  /// told, as nobody hears what comes to stand under a field that was left.
  ///
  /// What a submission has found is not among it: ``announcement(in:)`` says that.
  ///
  /// - Parameters:
  ///   - field: The field, whose rules ask somebody else.
  ///   - locale: The language of the reader; the default is the current one.
  /// - Returns: The name of the field, what is wrong with it and what to enter instead, or that it
  ///   could not be checked; nil where nothing is to be said.
  public func lateNews<Value>(
    about field: FormField<Values, Value>, in locale: Locale = .current
  ) -> String? {
    guard let index = machine.places[field.pointer] else { return nil }
    watch(index)
    guard machine.fields[index].isLate else { return nil }
    let label = fields[index].label.string(in: locale)
    var lines = machine.errors(of: index).map { error in
      FormTexts.line(
        label, error.message.string(in: locale), error.suggestion?.string(in: locale))
    }
    if machine.fields[index].verdict == .unchecked {
      lines.append(FormTexts.line(label, FormTexts.unchecked.string(in: locale), nil))
    }
    return lines.isEmpty ? nil : lines.map { $0.string(in: locale) }.joined(separator: "\n")
  }
}
