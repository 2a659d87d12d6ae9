package io.github.lockstarter.simulation.redis;

import java.util.List;

/** The reply to a command, as RESP 2 has it. */
public sealed interface Reply {

    /** The status of a command that succeeded. */
    Reply OK = new Status("OK");

    /** Nothing: of a key that does not exist, or of a condition that does not hold. */
    Reply NIL = new Nil();

    /** A short text that is no value, such as OK. */
    record Status(String text) implements Reply {}

    /** The server refused the command; the text begins with a code. */
    record Failure(String text) implements Reply {}

    /** An integer. */
    record Numeric(long value) implements Reply {}

    /** A value. */
    record Text(String value) implements Reply {}

    /** See {@link #NIL}. */
    record Nil() implements Reply {}

    /** Several replies in one. */
    record Several(List<Reply> parts) implements Reply {}

    /** Several texts. */
    static Reply ofTexts(Object... texts) {
        return new Several(List.of(texts).stream()
                .map(text -> (Reply) new Text(text.toString()))
                .toList());
    }
}
