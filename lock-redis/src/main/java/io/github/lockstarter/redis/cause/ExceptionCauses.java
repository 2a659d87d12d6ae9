package io.github.lockstarter.redis.cause;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** What the client's exceptions say: their causes, and the texts by which they are told apart. */
public final class ExceptionCauses {

    /** What the client says before it sends on a connection that is closed; a command under way ends otherwise. */
    public static final String CONNECTION_CLOSED = "Connection is closed";

    private ExceptionCauses() {}

    /**
     * The first line of the message of a failure; the name of its class if it has none.
     *
     * @param failure the failure
     * @return one line
     */
    public static String said(Throwable failure) {
        return Optional.ofNullable(failure.getMessage())
                .flatMap(message -> message.lines().findFirst())
                .filter(line -> !line.isBlank())
                .orElseGet(() -> failure.getClass().getSimpleName());
    }

    /**
     * A failure, its causes, and what failed before them at other servers.
     *
     * @param failure the failure
     * @return all of them, the failure first
     */
    public static Stream<Throwable> reasonsOf(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .flatMap(one -> Stream.concat(
                        Stream.of(one), Stream.of(one.getSuppressed()).flatMap(ExceptionCauses::reasonsOf)));
    }

    /**
     * The first cause of a failure.
     *
     * @param failure the failure
     * @return the cause that has none itself
     */
    public static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }
}
