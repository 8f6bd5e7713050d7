// SPDX-License-Identifier: Apache-2.0
// A control with constructor parameters needs an instance.
control k()(bit<8> n) { apply { } }
control proto();
control c() { apply { k.apply(); proto.apply(); } }
