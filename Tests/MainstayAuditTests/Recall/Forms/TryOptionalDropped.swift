// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let tryOptionalDropped = Forms(
    "MS203",
    bad: #"""
      func applicationDidEnterBackground(_ application: UIApplication) {
        try? persistentContainer.viewContext.save()
      }
      ---
      try? await self.api.register(deviceToken)
      ---
      Button("Save") {
        try? store.save(draft)
        dismiss()
      }
      ---
      if settings.isOn {
        try? keychain.set(token, key: "token")
      } else {
        try? keychain.reset()
      }
      ---
      queue.async {
        try? data.write(to: url, options: .atomic)
      }
      ---
      guard isReady else {
        try? recorder.stop()
        return
      }
      ---
      var volume: Float {
        didSet { try? engine.setVolume(volume) }
      }
      ---
      try? database.write { db in
        try player.insert(db)
      }
      """#,
    good: #"""
      _ = try? context.save()
      ---
      let saved = try? context.save()
      ---
      try? FileManager.default.removeItem(at: temporary)
      ---
      if (try? handle.seek(toOffset: 0)) == nil { log.error("no seek") }
      ---
      defer { try? handle.close() }
      ---
      return try? decoder.decode(Item.self, from: data)
      """#)
}
