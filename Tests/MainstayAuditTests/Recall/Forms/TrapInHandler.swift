// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let trapInHandler = Forms(
    "MS602",
    bad: #"""
      do {
        try context.save()
      } catch {
        let nserror = error as NSError
        fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
      }
      ---
      func load() -> Config {
        do {
          return try read()
        } catch let e {
          preconditionFailure("no configuration: \(e)")
        }
      }
      ---
      switch result {
      case .success(let value): show(value)
      case .failure(let error): fatalError("\(error)")
      }
      ---
      do {
        try await server.run()
      } catch {
        logger.critical("\(error)")
        exit(1)
      }
      ---
      do { try db.migrate() } catch { abort() }
      ---
      Task {
        do {
          try await sync()
        } catch is CancellationError {
          return
        } catch {
          if isCritical {
            fatalError(error.localizedDescription)
          }
          report(error)
        }
      }
      ---
      realm.open { outcome in
        switch outcome {
        case .success(let realm):
          self.realm = realm
        case let .failure(error):
          log.error("\(error)")
          Swift.fatalError("no realm")
        }
      }
      ---
      lazy var session: Session = {
        do {
          return try Session(path)
        } catch {
          fatalError("Failed to open the session: \(error)")
        }
      }()
      ---
      do {
        try queue.sync { try store.write(row) }
      } catch StoreError.locked {
        preconditionFailure()
      } catch {
        throw error
      }
      ---
      do {
        player = try AVAudioPlayer(contentsOf: url)
      } catch let error as NSError {
        NSLog("%@", error)
        fatalError()
      }
      """#,
    good: #"""
      do { try context.save() } catch { report(error) }
      ---
      guard let url = Bundle.main.url(forResource: "map", withExtension: "json") else {
        fatalError("The map is missing")
      }
      ---
      do { try context.save() } catch { throw StoreError.saving(error) }
      ---
      required init?(coder: NSCoder) { fatalError("not used") }
      ---
      switch result {
      case .success(let value): show(value)
      case .failure(let error): show(error)
      }
      """#)
}
