// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import NIOSSL

/// Vouches for servers of a test, with keys that are made for it and go away with it.
///
/// Certificates are made by the program `openssl`, which has to be installed. A client that is to
/// believe in them trusts ``file``; one that does not shows what becomes of a server that nobody
/// vouches for.
public final class CertificateAuthority: Sendable {
  /// Who a server says it is: a certificate and its key.
  public struct Identity: Sendable {
    /// The certificate, as PEM; there while somebody holds this value.
    public let file: URL
    /// The key, as PEM; there while somebody holds this value.
    public let key: URL
    private let authority: CertificateAuthority

    init(file: URL, key: URL, authority: CertificateAuthority) {
      self.file = file
      self.key = key
      self.authority = authority
    }

    /// What a server needs of it.
    func context(_ protocols: [String]) throws -> NIOSSLContext {
      do {
        var settings = TLSConfiguration.makeServerConfiguration(
          certificateChain: try NIOSSLCertificate.fromPEMFile(file.path).map { .certificate($0) },
          privateKey: .privateKey(try NIOSSLPrivateKey(file: key.path, format: .pem)))
        settings.applicationProtocols = protocols
        return try NIOSSLContext(configuration: settings)
      } catch {
        throw ServerFailure.noCertificate(reason: "\(file.path): \(error)")
      }
    }
  }

  private let folder: URL

  /// The certificate of the authority, as PEM, for clients to trust.
  public var file: URL { folder.appending(path: "authority.pem") }

  private var key: URL { folder.appending(path: "authority.key") }

  /// Makes one that nobody trusts yet; its own certificate is good for two days.
  ///
  /// - Throws: ``ServerFailure/noCertificate(reason:)`` where `openssl` is missing or fails.
  public init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "mainstay-authority-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try await openssl(
      ["req", "-x509"] + Self.newKey(at: key) + [
        "-out", file.path, "-days", "2", "-subj", "/CN=Mainstay Test Authority",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign",
      ])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Vouches for a server.
  ///
  /// - Parameters:
  ///   - names: The hosts that it may be: names, or addresses with four numbers; the first is also
  ///     its subject. One or more; the default is loopback.
  ///   - hasExpired: Whether its time was over a day ago; the default is that it has two days left.
  /// - Returns: Who the server is.
  /// - Throws: ``ServerFailure/noCertificate(reason:)`` where `openssl` fails.
  public func identity(
    for names: [String] = ["localhost", "127.0.0.1"], hasExpired: Bool = false
  ) async throws -> Identity {
    let alternatives = names.map { name in
      let isAddress = name.split(separator: ".").count { UInt8($0) != nil } == 4
      return (isAddress ? "IP:" : "DNS:") + name
    }
    return try await identity(
      of: names.first ?? "localhost",
      [
        "subjectAltName=\(alternatives.joined(separator: ","))", "extendedKeyUsage=serverAuth",
      ], hasExpired: hasExpired)
  }

  /// Vouches for whoever calls a server.
  ///
  /// - Parameters:
  ///   - name: Who that is, which is its subject.
  ///   - hasExpired: Whether its time was over a day ago; the default is that it has two days left.
  /// - Returns: Who the caller is.
  /// - Throws: ``ServerFailure/noCertificate(reason:)`` where `openssl` fails.
  package func caller(named name: String, hasExpired: Bool = false) async throws -> Identity {
    try await identity(of: name, ["extendedKeyUsage=clientAuth"], hasExpired: hasExpired)
  }

  private func identity(
    of subject: String, _ settings: [String], hasExpired: Bool
  ) async throws -> Identity {
    let place = folder.appending(path: UUID().uuidString)
    let (file, key) = (
      place.appendingPathExtension("pem"), place.appendingPathExtension("key")
    )
    let (request, extensions) = (
      place.appendingPathExtension("csr"), place.appendingPathExtension("ext")
    )
    let lines = settings + ["basicConstraints=CA:FALSE", ""]
    try Data(lines.joined(separator: "\n").utf8).write(to: extensions)
    try await openssl(
      ["req", "-new"] + Self.newKey(at: key) + ["-out", request.path, "-subj", "/CN=\(subject)"])
    try await openssl([
      "x509", "-req", "-in", request.path, "-CA", self.file.path, "-CAkey", self.key.path,
      // One that it counts up in a file would not bear two at a time.
      "-set_serial", "0x\(UUID().uuidString.filter { $0 != "-" })",
      "-days", hasExpired ? "-1" : "2", "-extfile", extensions.path, "-out", file.path,
    ])
    return Identity(file: file, key: key, authority: self)
  }

  private static func newKey(at place: URL) -> [String] {
    [
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
      place.path,
    ]
  }

  private func openssl(_ arguments: [String]) async throws {
    let complaints = folder.appending(path: "\(UUID().uuidString).txt")
    let status = try await Spawned.status(of: "openssl", arguments, complaints: complaints.path)
    guard status != 0 else { return }
    let text = (try? String(contentsOf: complaints, encoding: .utf8)) ?? ""
    throw ServerFailure.noCertificate(
      reason: "openssl \(arguments.first ?? "") ended with \(status): \(text.suffix(500))")
  }
}
