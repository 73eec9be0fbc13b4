// SPDX-License-Identifier: Apache-2.0

// The types are public, and so has to be what makes them arguments.
public import ArgumentParser
public import MainstayAudit

extension Severity: ExpressibleByArgument {}
extension Profile: ExpressibleByArgument {}
extension AuditFormat: ExpressibleByArgument {}
