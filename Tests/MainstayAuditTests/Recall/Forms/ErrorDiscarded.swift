// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let errorDiscarded = Forms(
    "MS202",
    bad: #"""
      func cachedImage(for key: String) -> UIImage? {
        do {
          let data = try Data(contentsOf: url(for: key))
          return UIImage(data: data)
        } catch {
          return nil
        }
      }
      ---
      do {
        users = try await api.users()
      } catch {
        users = []
      }
      ---
      do {
        try persistentContainer.viewContext.save()
        return true
      } catch let e {
        return false
      }
      ---
      actor Feed {
        func refresh() async -> Int {
          do {
            let page = try await client.page(1)
            items = page.items
            return page.items.count
          } catch {
            isLoading = false
            return 0
          }
        }
      }
      ---
      let names = files.compactMap { file -> String? in
        do {
          return try read(file).name
        } catch {
          return nil
        }
      }
      ---
      for job in jobs {
        do {
          try job.run()
        } catch {
          skipped += 1
          continue
        }
      }
      ---
      var settings: Settings {
        do {
          return try JSONDecoder().decode(Settings.self, from: stored)
        } catch {
          return Settings()
        }
      }
      ---
      api.fetch { result in
        do {
          completion(try result.get())
        } catch {
          completion(nil)
        }
      }
      """#,
    good: #"""
      do {
        users = try await api.users()
      } catch {
        logger.warning("no users: \(error)")
        users = []
      }
      ---
      do {
        try context.save()
      } catch {
        completion(.failure(error))
      }
      ---
      do {
        return try read(file)
      } catch CocoaError.fileReadNoSuchFile {
        return nil
      }
      ---
      let size = try? file.size()
      ---
      do {
        try context.save()
      } catch {
        context.rollback()
        throw error
      }
      """#)
}
