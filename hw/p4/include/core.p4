// SPDX-License-Identifier: Apache-2.0
// The P4-16 core library, as the language specification defines it: what every architecture may rely on.

#ifndef CORE_P4
#define CORE_P4

error {
    NoError,
    PacketTooShort,        // fewer bits are left than extract or advance wants
    NoMatch,               // no case of a select fits
    StackOutOfBounds,      // .next or .last of a header stack that has none
    HeaderTooShort,        // more bits than the varbit field holds
    ParserTimeout,         // the parser runs for longer than the target allows
    ParserInvalidArgument  // a size that the target cannot extract
}

extern packet_in {
    // Fills a header of fixed size from the packet and moves past it.
    void extract<T>(out T hdr);

    // The same for a header with one varbit field, of which so many bits are taken.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);

    // The next bits, without moving.
    T lookahead<T>();

    void advance(in bit<32> sizeInBits);

    // Length of the packet in bytes; an architecture need not know it.
    bit<32> length();
}

extern packet_out {
    // Appends a header if it is valid, and what a struct, stack or union holds in the order of its parts.
    void emit<T>(in T hdr);
}

// Leaves the parser with an error when the condition is false.
extern void verify(in bool check, in error toSignal);

// Ends compilation when the condition is false.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

@noWarn("unused")
action NoAction() {}

match_kind {
    exact,
    ternary,
    lpm
}

#endif
