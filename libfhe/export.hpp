// SPDX-License-Identifier: Apache-2.0
// Which symbols of a shared libfhe its users can link with.
#pragma once

// Marks what a public header offers: every class and every function but templates and inline
// functions. Users may call it, derive from it and catch it; all other symbols are hidden. Members
// and nested classes follow their class, friends do not. In a static libfhe it changes nothing.
#define FHE_EXPORT __attribute__((visibility("default")))
