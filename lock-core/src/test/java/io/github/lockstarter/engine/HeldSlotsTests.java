package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HeldSlotsTests {

    /** The compiler cannot: it does not know that the monitor of the key is the one of its held slots. */
    @Test
    void eachMethodChecksThatTheMonitorOfTheKeyIsHeld() {
        HeldSlots held = new KeyLock("order:42", null).held; // no run is used here
        List<Method> methods = Stream.of(HeldSlots.class.getDeclaredMethods())
                .filter(each -> !Modifier.isPrivate(each.getModifiers()) && !each.isSynthetic())
                .toList();
        assertThat(methods).hasSizeGreaterThan(20).allSatisfy(each -> {
            Object[] nothing = Stream.of(each.getParameterTypes())
                    .map(HeldSlotsTests::defaultOf)
                    .toArray();
            assertThatThrownBy(() -> each.invoke(held, nothing)).hasCauseExactlyInstanceOf(AssertionError.class);
        });
    }

    private static Object defaultOf(Class<?> type) {
        return Array.get(Array.newInstance(type, 1), 0);
    }
}
