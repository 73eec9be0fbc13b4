// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let printInHandler = Forms(
    "MS701",
    bad: #"""
      do {
        try context.save()
      } catch {
        print("Could not save. \(error)")
      }
      ---
      do {
        items = try await api.items()
      } catch let e {
        debugPrint(e)
        self.failed = true
      }
      ---
      do {
        try player.play()
      } catch let error as NSError {
        NSLog("Playback failed: %@", error)
      }
      ---
      do { try run() } catch { dump(error) }
      ---
      service.load { result in
        switch result {
        case .success(let items): self.items = items
        case .failure(let error): print(error.localizedDescription)
        }
      }
      ---
      URLSession.shared.dataTask(with: url) { data, _, error in
        if let error = error {
          print("Error: \(error)")
          return
        }
        self.show(data)
      }.resume()
      ---
      publisher.sink(receiveCompletion: { completion in
        if case .failure(let error) = completion {
          print("failed", error)
        }
      }, receiveValue: { self.value = $0 })
      ---
      Task {
        do {
          try await sync()
        } catch is CancellationError {
          return
        } catch {
          if attempt > 3 {
            print("sync failed \(error)")
          }
          throw error
        }
      }
      ---
      init(path: String) {
        do {
          rows = try read(path)
        } catch {
          Swift.print("no rows: \(error)")
          rows = []
        }
      }
      ---
      future.whenFailure { error in
        print("connection lost: \(error)")
      }
      ---
      guard error == nil else {
        print("Failed: \(error!)")
        completion(nil)
        return
      }
      ---
      func session(_ session: WCSession, didFailWithError error: any Error) {
        print("session failed: \(error)")
      }
      ---
      do {
        try await upload()
      } catch UploadError.tooLarge(let size) {
        print("too large: \(size)")
      } catch {
        throw error
      }
      ---
      database.asyncWrite({ db in try row.insert(db) }) { _, outcome in
        if case let .failure(failure) = outcome { debugPrint("insert: \(failure)") }
      }
      """#,
    good: #"""
      do { try save() } catch { logger.error("saving: \(error)") }
      ---
      do {
        try save()
        print("saved")
      } catch {
        report(error)
      }
      ---
      do { try save() } catch {
        #if DEBUG
          print(error)
        #endif
        report(error)
      }
      ---
      service.load { result in
        switch result {
        case .success(let items): print(items.count)
        case .failure(let error): report(error)
        }
      }
      ---
      do { try save() } catch { printer.show(error) }
      """#)
}
