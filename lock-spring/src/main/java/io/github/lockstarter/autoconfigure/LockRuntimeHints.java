package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Native-image hints for types that every store finds by reflection. */
final class LockRuntimeHints implements RuntimeHintsRegistrar {

    /** Tested by the annotation. */
    private static final List<String> OPTIONAL_CLASSES = List.of(
            "io.micrometer.context.ContextSnapshotFactory",
            "kotlinx.coroutines.reactor.MonoKt",
            "org.springframework.core.Nullness",
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            "reactor.core.publisher.Flux");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        Stream.concat(OPTIONAL_CLASSES.stream(), StoreModule.autoConfigurations())
                .forEach(type -> hints.reflection().registerTypeIfPresent(loader, type, hint -> {}));
        hints.proxies().registerJdkProxy(DistributedLock.class);
    }
}
