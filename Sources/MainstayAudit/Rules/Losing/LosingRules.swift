// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 2xx: errors that nobody hears of.
  static let losing: [Rule] = [
    emptyCatch, errorDiscarded, tryOptionalDropped, fabricatedFallback, causeDropped,
    taskErrorVanishes, asyncLetErrorLost, resultFailureIgnored, callbackErrorIgnored,
    unknownErrorDropped, unfinishedHandler, storeOverwritten,
  ]
}
