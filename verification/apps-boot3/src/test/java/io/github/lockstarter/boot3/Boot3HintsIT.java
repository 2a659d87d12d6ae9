package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.AnnotationConfigRegistry;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

/** Additional hints for a native image on Spring Boot 3.5: the health indicator is a proxy, created by reflection. */
class Boot3HintsIT {

    @Test
    void registersHintsForTheHealthOfThisBootLine() {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(Boot3HintsIT.class)), new InMemoryGeneratedFiles());
        try (GenericApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of("distributed-lock.backend=local").applyTo(context);
            ((AnnotationConfigRegistry) context).register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        RuntimeHints hints = generation.getRuntimeHints();

        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(HealthIndicator.class))
                .accepts(hints);
        for (Class<?> type : new Class<?>[] {Health.class, Health.Builder.class}) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(type)
                            .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                    .accepts(hints);
        }
    }

    @Configuration
    @EnableAutoConfiguration
    static class Application {}
}
