// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 4xx: what a person sees of an error.
  static let showing: [Rule] = [
    technicalTextShown, codeInUserText, rawDescriptionShown, staleError, unlocalizedErrorText,
    constantPresentation, busyFlagStuck,
  ]
}
