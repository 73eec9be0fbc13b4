// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let emptyCatch = Forms(
    "MS201",
    bad: #"""
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch {
      }
      ---
      do {
        let rows = try context.fetch(request)
        self.rows = rows
      } catch let error {}
      ---
      do { try await socket.send(.ping) } catch let e { }
      ---
      do {
        try await model.load()
      } catch is CancellationError {
        return
      } catch {
      }
      ---
      do {
        if isDirty {
          try realm.write { realm.add(item) }
        }
      } catch let error as NSError {
      }
      ---
      let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
        do { try self?.flush() } catch {}
      }
      ---
      do {
        try player.prepare()
      } catch {
        // nothing to do here
      }
      ---
      var value: Int {
        do { return try store.count() } catch {}
        return 0
      }
      ---
      defer {
        do { try handle.synchronize() } catch {}
      }
      ---
      for upload in uploads {
        do {
          try await upload.start()
          started.append(upload)
        } catch {

        }
      }
      ---
      subject.sink { value in
        do {
          try cache.insert(value)
        } catch let problem {
        }
      }.store(in: &bag)
      """#,
    good: #"""
      do { try save() } catch { log.error("saving: \(error)") }
      ---
      do { try await sleep() } catch is CancellationError {}
      ---
      do { try save() } catch { throw StoreError.saving(error) }
      ---
      _ = try? FileManager.default.removeItem(at: url)
      ---
      do { try open() } catch let error as POSIXError where error.code == .EEXIST {}
      ---
      do { try await refresh() } catch { self.error = error }
      """#)
}
