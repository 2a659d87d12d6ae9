package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockToken;
import java.lang.ref.Reference;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * Describes all objects that can be reached from an engine, so that two states with the same text have the same future:
 * each field that is not transient, of each object of this project, lambdas included. Times are relative to the present
 * time, and lock tokens to the first one. An object of another type fails, so that nothing is left out by accident.
 */
final class Fingerprint {

    private static final String PROJECT = "io.github.lockstarter.";

    /** The same in all states, or of no effect, such as the thread that made an entry of the timer (a Short). */
    private static final Set<Class<?>> CONSTANT =
            Set.of(Thread.class, Short.class, EngineSettings.class, LockRequest.class);

    private static final Set<Class<?>> PLAIN =
            Set.of(Boolean.class, Integer.class, OptionalInt.class, String.class, Duration.class);

    private final Moment now;
    private final StringBuilder text = new StringBuilder(4096);
    private final IdentityHashMap<Object, Integer> objects = new IdentityHashMap<>();
    private final Map<Long, Integer> tokens = new HashMap<>();

    private Fingerprint(Moment now) {
        this.now = now;
    }

    static UUID of(ManualEngine engine) {
        Fingerprint made = new Fingerprint(engine.now());
        made.write(engine);
        return UUID.nameUUIDFromBytes(made.text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void write(Object value) {
        if (value == null || value instanceof Throwable || CONSTANT.contains(value.getClass())) {
            text.append('-');
        } else if (value instanceof Enum<?> || PLAIN.contains(value.getClass())) {
            text.append(value);
        } else if (value instanceof Long number) {
            writeNumber(number);
        } else if (value instanceof LockToken token) {
            writeToken(token.number());
        } else if (value instanceof CompletableFuture<?> future) {
            text.append(future.isDone());
        } else if (value instanceof Optional<?> optional) {
            write(optional.orElse(null));
        } else if (value instanceof Reference<?> reference) {
            write(reference.get());
        } else if (value instanceof Collection<?> all) {
            text.append(all.size());
            all.forEach(this::write);
        } else if (value instanceof Map<?, ?> map) {
            write(map.values());
        } else if (value instanceof Running running) {
            write(running.refusal.get());
            write(running.known(ManualEngine.KEY));
        } else {
            writeObject(value);
        }
        text.append(',');
    }

    private void writeNumber(long number) {
        if (number == ManualTimer.NEVER) {
            text.append('~');
        } else if (number >= ManualEngine.BEGIN) {
            text.append(number - now.nanos());
        } else if (number >= ManualEngine.BEGIN_MILLIS) {
            text.append(number - now.wallMillis());
        } else if (number >= ManualStore.FENCING) {
            writeToken(number / ManualStore.FENCING);
            text.append('+').append(number % ManualStore.FENCING);
        } else {
            text.append(number);
        }
    }

    private void writeToken(long sequence) {
        text.append('#').append(tokens.computeIfAbsent(sequence, any -> tokens.size()));
    }

    private void writeObject(Object object) {
        Integer known = objects.putIfAbsent(object, objects.size());
        if (known != null) {
            text.append('@').append(known);
            return;
        }
        String type = object.getClass().getName();
        Assert.state(type.startsWith(PROJECT), () -> "No fingerprint of a " + type);
        text.append(type, PROJECT.length(), type.length());
        ReflectionUtils.doWithFields(object.getClass(), field -> {
            if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0) {
                ReflectionUtils.makeAccessible(field);
                write(field.get(object));
            }
        });
    }
}
