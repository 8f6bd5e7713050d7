// SPDX-License-Identifier: Apache-2.0
// A control with a body is no type argument.
control body() { apply { } }
extern g<T> { g(); }
control c() { g<body>() x; apply { } }
