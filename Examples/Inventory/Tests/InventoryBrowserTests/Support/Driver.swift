// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import TestSupport

/// The programs that a browser test needs, and where they lie.
private enum Programs {
  static func find(_ names: String...) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for name in names {
      for folder in folders {
        let url = URL(filePath: String(folder)).appending(path: name)
        if FileManager.default.isExecutableFile(atPath: url.path) { return url }
      }
    }
    return nil
  }

  static var driver: URL {
    get throws {
      guard let url = find("chromedriver") else { throw MissingBrowser() }
      return url
    }
  }

  /// Nil where the driver has to know by itself, such as on macOS.
  static var browser: URL? { find("chromium", "chromium-browser", "google-chrome") }
}

/// There is nothing to test with.
struct MissingBrowser: Error, CustomStringConvertible {
  let description =
    "The browser tests need Chrome or Chromium, and chromedriver on the PATH. "
    + "`Tools/setup tests` installs both on Debian, and says what to do elsewhere."
}

/// What a window is like, and what it may do.
struct Window: Sendable {
  var width = 1200
  var height = 900
}

/// Runs a test in a browser that nobody used before, and ends it whatever happens.
///
/// Driver, browser and profile are the test's own, so no test sees what another left.
func withBrowser<Value>(
  _ window: Window = Window(), _ test: (Browser) async throws -> Value
) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "inventory-browser-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let program = try await startDriver(folder)
  do {
    let browser = try await Browser(WebDriver(port: program.port), window, folder)
    let value: Value
    do {
      value = try await test(browser)
    } catch {
      await browser.end()
      throw error
    }
    await browser.end()
    // The driver has nothing to tidy up, and as a child it may have other signals blocked.
    _ = await program.stop(SIGKILL)
    return value
  } catch {
    _ = await program.stop(SIGKILL)
    throw error
  }
}

/// Starts the driver on a free port.
///
/// It takes one that is free for IPv6, and ends when somebody else has that one for IPv4.
private func startDriver(_ folder: URL, attempts: Int = 5) async throws -> BuiltProgram {
  do {
    return try await BuiltProgram(
      at: try Programs.driver, ["--port=0", "--log-path=\(folder.path)/driver.log"],
      environment: environment(folder)
    ) { printed in
      let parts = printed.split(separator: "started successfully on port ")
      return parts.count < 2 ? nil : Int(parts[1].prefix(while: \.isNumber))
    }
  } catch {
    guard attempts > 1, !(error is MissingBrowser) else { throw error }
    return try await startDriver(folder, attempts: attempts - 1)
  }
}

/// Whatever browser and driver write goes with the folder.
private func environment(_ folder: URL) -> [String: String] {
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  return ["PATH": path, "HOME": folder.path, "TMPDIR": folder.path, "TZ": "UTC"]
}

extension Browser {
  /// Opens a browser without a screen.
  init(_ driver: WebDriver, _ window: Window, _ folder: URL) async throws {
    var arguments = [
      "--headless=new", "--window-size=\(window.width),\(window.height)", "--lang=en-US",
      "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio",
      // So it ends when its driver does.
      "--remote-debugging-pipe",
      // Containers give little shared memory.
      "--disable-dev-shm-usage", "--force-color-profile=srgb",
      "--log-net-log=\(folder.path)/net.json",
    ]
    // The sandbox refuses to be started by root. Only pages of this test are opened.
    if getuid() == 0 { arguments.append("--no-sandbox") }
    var options: [String: JSONValue] = ["args": .array(arguments.map(JSONValue.string))]
    options["binary"] = Programs.browser.map { .string($0.path) }
    let capabilities: JSONValue = [
      "browserName": "chrome", "goog:chromeOptions": .object(options),
      "goog:loggingPrefs": ["browser": "ALL"], "unhandledPromptBehavior": "ignore",
      "timeouts": ["script": Self.limitInMilliseconds, "pageLoad": Self.limitInMilliseconds],
    ]
    let answer = try await Self.begin(driver, ["capabilities": ["alwaysMatch": capabilities]])
    guard let session = answer["sessionId"]?.text else { throw Unreadable(what: "a session") }
    self.driver = driver
    self.session = session
    self.folder = folder
    process = answer["capabilities"]?["goog:processID"]?.number.map(Int32.init)
  }

  /// Begins a session; a browser may end as it starts, where a machine is short of something for a
  /// moment, and that says nothing of a page.
  private static func begin(_ driver: WebDriver, _ wish: JSONValue) async throws -> JSONValue {
    for _ in 0..<4 {
      do {
        return try await driver.send(.post, "/session", wish)
      } catch let error as WebDriverError where error.code == "session not created" {
        continue
      }
    }
    return try await driver.send(.post, "/session", wish)
  }

  /// Closes it; where the driver cannot any more, ends its process.
  func end() async {
    do {
      try await driver.send(.delete, "/session/\(session)", limit: .seconds(15))
    } catch {
      if let process { kill(process, SIGKILL) }
    }
  }
}
