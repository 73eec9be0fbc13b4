// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let taskErrorVanishes = Forms(
    "MS206",
    bad: #"""
      func viewDidLoad() {
        Task { [weak self] in
          let items = try await self?.service.items()
          self?.apply(items)
        }
      }
      ---
      Button("Buy") {
        Task {
          try await store.purchase(product)
        }
      }
      ---
      Task.detached(priority: .background) {
        try await indexer.rebuild()
      }
      ---
      Task { @MainActor in
        guard let user = try await auth.current() else { return }
        self.user = user
      }
      ---
      Task(priority: .high) {
        do {
          try await uploader.start()
        } catch let error as UploadError {
          show(error)
        }
      }
      ---
      Task {
        for try await message in socket.messages {
          handle(message)
        }
      }
      ---
      Task {
        if await isOn {
          try await center.add(request)
        } else {
          throw SetupError.off
        }
      }
      ---
      Task.detached { [api] in
        async let first = api.first()
        async let second = api.second()
        await show(try await first, try await second)
      }
      """#,
    good: #"""
      Task {
        do { try await store.purchase(product) } catch { report(error) }
      }
      ---
      let job = Task { try await store.purchase(product) }
      jobs.append(job)
      ---
      Task { await store.refresh() }
      ---
      return Task { try await store.purchase(product) }
      ---
      try await Task { try await store.purchase(product) }.value
      ---
      Task {
        let done = try? await store.purchase(product)
        finish(done)
      }
      """#)
}
