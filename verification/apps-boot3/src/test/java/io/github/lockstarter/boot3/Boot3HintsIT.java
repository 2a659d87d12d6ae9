package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** Additional hints for a native image on Spring Boot 3.5: the health indicator is a proxy, created by reflection. */
class Boot3HintsIT {

    @Test
    void registersHintsForTheHealthOfThisBootLine() {
        ClassLoader loader = getClass().getClassLoader();
        RuntimeHints hints = new RuntimeHints();
        AotServices.factories(loader).load(RuntimeHintsRegistrar.class).stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("io.github.lockstarter."))
                .forEach(registrar -> registrar.registerHints(hints, loader));

        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(HealthIndicator.class))
                .accepts(hints);
        for (Class<?> type : new Class<?>[] {Health.class, Health.Builder.class}) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(type)
                            .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                    .accepts(hints);
        }
    }
}
