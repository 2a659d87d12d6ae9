package io.github.lockstarter.redis.cause;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

public final class ExceptionCauses {

    /**
     * Lettuce's message when a command is rejected because the connection is closed; pending commands fail differently.
     */
    public static final String CONNECTION_CLOSED = "Connection is closed";

    private ExceptionCauses() {}

    public static String said(Throwable failure) {
        return Optional.ofNullable(failure.getMessage())
                .flatMap(message -> message.lines().findFirst())
                .filter(line -> !line.isBlank())
                .orElseGet(() -> failure.getClass().getSimpleName());
    }

    /** The failure, its causes, and their suppressed failures with causes, such as those of other servers. */
    public static Stream<Throwable> reasonsOf(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .flatMap(one -> Stream.concat(
                        Stream.of(one), Stream.of(one.getSuppressed()).flatMap(ExceptionCauses::reasonsOf)));
    }

    public static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }
}
