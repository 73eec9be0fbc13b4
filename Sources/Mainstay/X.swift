// SPDX-License-Identifier: Apache-2.0

/// Keeps the module from being empty until the first error type is here.
public enum X {}
