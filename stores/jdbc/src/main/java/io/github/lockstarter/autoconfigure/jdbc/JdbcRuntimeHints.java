package io.github.lockstarter.autoconfigure.jdbc;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Hints for native images: the scripts of the table, and the detection of HikariCP. */
final class JdbcRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("io/github/lockstarter/jdbc/*.sql");
        hints.reflection().registerTypeIfPresent(loader, "com.zaxxer.hikari.util.Credentials", hint -> {});
    }
}
