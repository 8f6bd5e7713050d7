// SPDX-License-Identifier: Apache-2.0
// Main is a SimpleSumeSwitch.
parser P();
package Other(P p);
parser p() { state start { transition accept; } }
Other(p()) main;
