// SPDX-License-Identifier: Apache-2.0

/// How much of its memory a process has in use, by what Apple's systems say.
enum MemoryShare {
  /// The share in use, from 0 to 1; nil where nobody says how much is free.
  ///
  /// A free rest of zero means that there is no limit, or that nobody knows one, as in a simulator
  /// and for an app for iOS on a Mac. A process without any memory left does not live to ask.
  static func used(_ used: Double, free: Double) -> Double? {
    free > 0 ? used / (used + free) : nil
  }
}

#if canImport(Darwin)
  internal import Darwin
  internal import Foundation
  #if !os(macOS)
    internal import os
  #endif

  /// What Apple's systems say of themselves; the processor's use is not asked there, since the
  /// system slows apps down by itself and says so by the heat.
  enum AppleHealth {
    static func read() -> SystemHealth {
      let process = ProcessInfo.processInfo
      var health = SystemHealth()
      health.memoryUse = memoryUse
      health.isHot = process.thermalState == .serious || process.thermalState == .critical
      health.isSavingPower = process.isLowPowerModeEnabled
      return health
    }

    private static var memoryUse: Double? {
      #if os(macOS)
        // A Mac writes memory to its disk long before an app has to do without.
        return nil
      #else
        return footprint.flatMap {
          MemoryShare.used($0, free: Double(os_proc_available_memory()))
        }
      #endif
    }

    /// What the system holds against this process, in bytes.
    private static var footprint: Double? {
      var information = task_vm_info_data_t()
      var count = mach_msg_type_number_t(
        MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &information) { pointer in
        pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          task_info(mach_task_self_, task_flavor_t(TASK_VM_INFO), $0, &count)
        }
      }
      return result == KERN_SUCCESS ? Double(information.phys_footprint) : nil
    }
  }
#endif
