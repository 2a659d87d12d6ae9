package io.github.lockstarter.autoconfigure.testing;

import java.util.function.Consumer;
import org.springframework.aot.AotDetector;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/**
 * An application that is processed ahead of time, as the goal {@code process-aot} does. Its tests have the annotation
 * {@link CompileWithForkedClassLoader}, since generated classes use package-private ones.
 */
public final class AheadOfTimeApplication {

    private final ApplicationContextInitializer<GenericApplicationContext> generated;

    private AheadOfTimeApplication(ApplicationContextInitializer<GenericApplicationContext> generated) {
        this.generated = generated;
    }

    /** Processes a configuration with these properties, and compiles the result, once; the test starts it. */
    @SuppressWarnings("unchecked")
    public static void of(Class<?> configuration, Consumer<AheadOfTimeApplication> test, String... properties) {
        TestCompiler.forSystem()
                .with(processed(configuration, properties))
                .compile(compiled -> test.accept(
                        new AheadOfTimeApplication(compiled.getInstance(ApplicationContextInitializer.class))));
    }

    /** Hints for a native image of the application. */
    public static RuntimeHints hints(Class<?> configuration, String... properties) {
        return processed(configuration, properties).getRuntimeHints();
    }

    private static TestGenerationContext processed(Class<?> configuration, String... properties) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of(properties).applyTo(context);
            context.register(configuration);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        return generation;
    }

    /** Starts it with these properties, as with {@code spring.aot.enabled=true}. */
    public void start(Consumer<GenericApplicationContext> test, String... properties) {
        SpringProperties.setFlag(AotDetector.AOT_ENABLED);
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            TestPropertyValues.of(properties).applyTo(context);
            generated.initialize(context);
            context.refresh();
            test.accept(context);
        } finally {
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
        }
    }

    /** The failure report for a user if it does not start with these properties. */
    public String report(String... properties) {
        try {
            start(context -> {}, properties);
        } catch (RuntimeException failure) {
            return FailureReport.of(failure);
        }
        throw new AssertionError("The application has started");
    }
}
