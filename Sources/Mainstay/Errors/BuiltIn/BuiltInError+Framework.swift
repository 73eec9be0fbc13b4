// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  static let frameworkCapabilityUnavailable = capabilityUnavailable.coded(
    "framework.capability-unavailable")

  static let stateCorruption = BuiltInError(
    "framework.state-corruption", .corrupted, .permanent, .critical,
    title: "Something in the app is damaged",
    message: "What the app remembers does not fit together any more.",
    suggestion: "Open the app again. If it happens again, contact support.")

  static let architecturalViolation = BuiltInError(
    "framework.architectural-violation", .defect, .permanent, .critical, name: "defect",
    title: "The app made a mistake",
    message: "Something inside of the app did not work as it should. It is not your fault.",
    suggestion: "Open the app again. If it happens again, contact support.")

  static let performanceThreshold = BuiltInError(
    "framework.performance-threshold", .exhausted, .transient(),
    title: "This takes more than it should",
    message: "The app needed more time or memory for this than it may.",
    suggestion: "Close what you do not need, then try again.")

  static let frameworkConfiguration = configuration.coded("framework.configuration")
  static let frameworkUnknown = unknown.coded("framework.unknown")

  static let invalidState = BuiltInError(
    "client.invalid-state", .defect, .permanent,
    title: "This is not possible now",
    message: "The app is not in a state in which it can do this.",
    suggestion: "Finish what is open, then try again.")

  static let concurrencyViolation = architecturalViolation.coded("client.concurrency-violation")
  static let isolationBreach = architecturalViolation.coded("client.isolation-breach")

  static let clientUpdateFailed = BuiltInError(
    "client.update-failed", .unknown, .unclassified,
    title: "The change could not be made",
    message: "The app met a problem while it made the change.",
    suggestion: "Try again. If it happens again, contact support.")

  static let changeRefused = BuiltInError(
    "client.change-refused", .validation, .permanent, .warning,
    title: "This change isn’t possible",
    message: "It does not fit what is there already, so everything stays as it was.",
    suggestion: "Try it in another way, or change something else first.")

  static let actorGone = BuiltInError(
    "client.actor-gone", .defect, .permanent,
    title: "This is no longer open",
    message: "The part of the app that did this was closed in the meantime.",
    suggestion: "Open it again, then try once more.")

  static let bindingFailed = BuiltInError(
    "context.binding-failed", .defect, .permanent,
    title: "Your entry was not kept",
    message: "The app could not keep what you entered in one of the fields.",
    suggestion: "Enter it again. If it happens again, contact support.")

  static let orchestrationFailed = BuiltInError(
    "context.orchestration-failed", .defect, .permanent,
    title: "Not everything was done",
    message: "Several parts of the app work on this together, and some did not finish.",
    suggestion: "Check what was done before you try again.")

  static let observationFailed = BuiltInError(
    "context.observation-failed", .defect, .permanent, .warning,
    title: "This is not kept up to date",
    message: "The app no longer notices when this changes.",
    suggestion: "Refresh, or open the app again.")

  static let contextUpdateFailed = BuiltInError(
    "context.update-failed", .unknown, .unclassified,
    title: "The screen could not be updated",
    message: "What you see may be older than what is saved.",
    suggestion: "Refresh, or open the app again.")

  static let capabilityUnavailable = BuiltInError(
    "capability.unavailable", .unavailable, .permanent,
    title: "This is not available",
    message: "This device or this app can’t do this, or not now.",
    suggestion: "Do it in another way, or later.")

  static let requirementNotMet = BuiltInError(
    "capability.requirement-not-met", .unavailable, .needsUser,
    title: "Something is still missing",
    message: "The app needs something else before it can do this.",
    suggestion: "Check the settings, then try again.",
    actions: [.openSettings, .retry, .dismiss])

  static let validationTimedOut = BuiltInError(
    "capability.validation-timeout", .timeout, .transient(),
    title: "This could not be checked in time",
    message: "The app did not find out in time whether this works.",
    suggestion: "Try again in a moment.")

  static let executionFailed = BuiltInError(
    "capability.execution-failed", .unknown, .unclassified,
    title: "This did not work",
    message: "The app began this but could not finish it.",
    suggestion: "Try again. If it happens again, contact support.")

  static let fallbackUnavailable = BuiltInError(
    "capability.fallback-unavailable", .unavailable, .permanent,
    title: "There is no other way now",
    message: "This does not work, and neither does what should stand in for it.",
    suggestion: "Do it later. What you have entered may have to be entered again.")

  static let framework: [BuiltInError] = [
    frameworkCapabilityUnavailable, stateCorruption, architecturalViolation, performanceThreshold,
    frameworkConfiguration, frameworkUnknown, invalidState, concurrencyViolation, isolationBreach,
    clientUpdateFailed, changeRefused, actorGone, bindingFailed, orchestrationFailed,
    observationFailed, contextUpdateFailed, capabilityUnavailable, requirementNotMet,
    validationTimedOut, executionFailed, fallbackUnavailable,
  ]
}
