// SPDX-License-Identifier: Apache-2.0

/// Keeps the module from being empty until the manual clock is here.
public enum Y {}
