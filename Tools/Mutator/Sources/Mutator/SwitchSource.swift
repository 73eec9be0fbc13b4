// SPDX-License-Identifier: Apache-2.0

/// The file that is added to a mutated module: which mutant is awake, and which were reached.
enum SwitchSource {
  /// Names the number of the mutant that is awake.
  static let activeVariable = "MUTATOR_ACTIVE"
  /// Names a file of one byte per number, which is set to 1 when the program comes by.
  static let reachedVariable = "MUTATOR_REACHED"

  static let text = """
    import Foundation

    public enum MutationSwitch {
      private static let active =
        ProcessInfo.processInfo.environment["\(activeVariable)"].flatMap { Int($0) } ?? 0

      // Every process of a run maps the same file; the only value ever written is 1.
      private nonisolated(unsafe) static let reached: UnsafeMutableBufferPointer<UInt8>? = {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment["\(reachedVariable)"] else { return nil }
        let file = open(path, O_RDWR)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0, status.st_size > 0 else { return nil }
        let size = Int(status.st_size)
        guard let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
          bytes != MAP_FAILED
        else { return nil }
        return UnsafeMutableBufferPointer(
          start: bytes.assumingMemoryBound(to: UInt8.self), count: size)
      }()

      public static func isActive(_ number: Int) -> Bool {
        if let reached, number > 0, number < reached.count { reached[number] = 1 }
        return number == active
      }

      public static func stepped<T: Numeric>(_ value: T, up: Int, down: Int) -> T {
        let (isUp, isDown) = (isActive(up), isActive(down))
        return isUp ? value + 1 : isDown ? value - 1 : value
      }
    }

    """
}
