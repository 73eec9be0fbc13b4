// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the place can show that a text is written for.
package struct TextStyle: Sendable {
  /// Whether it shows colours.
  package var colours: Bool
  /// How many columns a line has.
  package var width: Int
  /// The folder that relative paths start from, for forms that need whole ones.
  package var folder: String

  /// A style.
  ///
  /// - Parameters:
  ///   - colours: Whether there are colours.
  ///   - width: How many columns a line has; less than 40 counts as 40.
  ///   - folder: The folder that relative paths start from; the working folder if nil.
  package init(colours: Bool = false, width: Int = 100, folder: String? = nil) {
    self.colours = colours
    self.width = width
    self.folder = folder ?? FileManager.default.currentDirectoryPath
  }
}
