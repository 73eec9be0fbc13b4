// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much chance the tests use: little in `make test`, much in `make torture`.
public enum RandomDose {
  /// Whether this run is `make torture`.
  public static let isTorture = ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture"

  /// The seeds of random schedules; the same in every run.
  public static let schedules: UInt64 = isTorture ? 200_000 : 2_000

  /// Cases for each law.
  public static let cases = isTorture ? 10_000 : 100
}
