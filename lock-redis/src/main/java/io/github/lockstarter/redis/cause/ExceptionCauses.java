package io.github.lockstarter.redis.cause;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

public final class ExceptionCauses {

    /**
     * Lettuce's message when a command is rejected because the connection is closed; pending commands fail differently.
     */
    public static final String CONNECTION_CLOSED = "Connection is closed";

    /** Lettuce masks a password in an address, but shows its length; it shows a user decoded, with any sign. */
    private static final Pattern LOGIN = Pattern.compile("(?<=//)\\S*@|(?<![^\\s/])[^\\s/]*:\\*+@");

    /** Of causes and suppressed failures: code of an application can link failures in a circle. */
    private static final int DEPTH = 10;

    private ExceptionCauses() {}

    public static String withoutLogins(String text) {
        return LOGIN.matcher(text).replaceAll("");
    }

    /** The failure; or a copy of it, its causes and suppressed failures, if the message of one contains a login. */
    public static Throwable withoutLogins(Throwable failure) {
        return withoutLogins(failure, DEPTH);
    }

    private static Throwable withoutLogins(Throwable failure, int depth) {
        if (reasonsOf(failure).noneMatch(ExceptionCauses::containsLogin)) {
            return failure;
        }
        Throwable copy = likewise(failure, withoutLogins(String.valueOf(failure.getMessage())));
        if (depth > 1) {
            Stream.ofNullable(failure.getCause())
                    .map(cause -> withoutLogins(cause, depth - 1))
                    .forEach(copy::initCause);
            Stream.of(failure.getSuppressed())
                    .map(suppressed -> withoutLogins(suppressed, depth - 1))
                    .forEach(copy::addSuppressed);
        }
        copy.setStackTrace(failure.getStackTrace());
        return copy;
    }

    /** Keeps the types that callers distinguish. */
    private static RedisException likewise(Throwable failure, String message) {
        if (failure instanceof RedisCommandExecutionException) {
            return new RedisCommandExecutionException(message);
        }
        return failure instanceof RedisCommandTimeoutException
                ? new RedisCommandTimeoutException(message)
                : new RedisException(message);
    }

    private static boolean containsLogin(Throwable failure) {
        return LOGIN.matcher(String.valueOf(failure.getMessage())).find();
    }

    public static String said(Throwable failure) {
        return Optional.ofNullable(failure.getMessage())
                .flatMap(message -> message.lines().findFirst())
                .filter(line -> !line.isBlank())
                .orElseGet(() -> failure.getClass().getSimpleName());
    }

    /** The failure, its causes, and their suppressed failures with causes, such as those of other servers. */
    public static Stream<Throwable> reasonsOf(Throwable failure) {
        return reasonsOf(failure, DEPTH);
    }

    private static Stream<Throwable> reasonsOf(Throwable failure, int depth) {
        Stream<Throwable> direct = depth > 1
                ? Stream.concat(Stream.of(failure.getSuppressed()), Stream.ofNullable(failure.getCause()))
                : Stream.empty();
        return Stream.concat(Stream.of(failure), direct.flatMap(reason -> reasonsOf(reason, depth - 1)));
    }

    public static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        for (int depth = 1; depth < DEPTH && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        return root;
    }
}
