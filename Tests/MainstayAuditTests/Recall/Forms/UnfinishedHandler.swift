// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let unfinishedHandler = Forms(
    "MS211",
    bad: #"""
      do {
        try save()
      } catch {
        // TODO: show an alert
        log.error("\(error)")
      }
      ---
      do {
        try save()
      } catch {
        // FIXME
        return
      }
      ---
      do {
        try await load()
      } catch {
        print(error) // TODO handle this
      }
      ---
      do {
        try context.save()
      } catch {
        // Replace this implementation with code to handle the error appropriately.
        let nserror = error as NSError
        fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
      }
      ---
      do { try run() } catch let e as RunError { /* TODO: retry */ show(e) }
      ---
      switch result {
      case .success(let value): show(value)
      case .failure(let error):
        // TODO: handle error
        log.debug("\(error)")
      }
      ---
      do {
        try await upload()
      } catch {
        if isDebug {
          // todo: better message
          show("Upload failed")
        } else {
          report(error)
        }
      }
      ---
      do {
        try connect()
      } catch {
        // handle error
      }
      ---
      do {
        try connect()
      } catch is TimeoutError {
        // TODO(anna): what now?
        retry()
      }
      ---
      do {
        try await api.refresh()
      } catch {
        logger.error("refresh failed")
        /*
         TODO: log the user out when the token is gone
         */
      }
      ---
      do {
        rows = try fetch()
      } catch {
        //FIXME: tell the user
        rows = []
      }
      """#,
    good: #"""
      // TODO: make this faster
      do { try save() } catch { report(error) }
      ---
      do {
        // TODO: batch these
        try save()
      } catch { report(error) }
      ---
      do { try save() } catch {
        // The user sees this in the list of tasks.
        report(error)
      }
      ---
      do { try save() } catch { todo.append(error) }
      ---
      do { try save() } catch {
        // The caller handles errors.
        throw error
      }
      """#)
}
