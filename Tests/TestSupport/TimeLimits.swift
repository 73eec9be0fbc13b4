// SPDX-License-Identifier: Apache-2.0

public import Testing

extension Trait where Self == TimeLimitTrait {
  /// The test has to end by itself, so that one that hangs is named.
  ///
  /// It is no measure of speed. Each test has ten minutes at least: on a slow machine with other
  /// tests and programs beside it, one that takes a second elsewhere may stand still for minutes.
  /// With full doses all tests run at once for half an hour, and most of that time each of them
  /// waits for its turn; so they get twelve times as long then.
  ///
  /// - Parameter minutes: How long it may take at most with the small doses on a machine that does
  ///   nothing else; 1 or more.
  /// - Returns: The trait.
  public static func ends(withinMinutes minutes: Int) -> Self {
    .timeLimit(.minutes(max(RandomDose.isTorture ? minutes * 12 : minutes, 10)))
  }
}

extension Duration {
  /// Longer than anything takes, for what a test waits for on the clock of the machine.
  public static var patience: Duration { .seconds(600) }
}
