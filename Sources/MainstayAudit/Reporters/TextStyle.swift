// SPDX-License-Identifier: Apache-2.0

/// What the place can show that a text is written for.
package struct TextStyle: Sendable {
  /// Whether it shows colours.
  package var colours: Bool
  /// How many columns a line has.
  package var width: Int

  /// A style.
  ///
  /// - Parameters:
  ///   - colours: Whether there are colours.
  ///   - width: How many columns a line has; less than 40 counts as 40.
  package init(colours: Bool = false, width: Int = 100) {
    self.colours = colours
    self.width = width
  }
}
