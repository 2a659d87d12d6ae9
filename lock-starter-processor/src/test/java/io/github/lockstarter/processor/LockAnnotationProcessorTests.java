package io.github.lockstarter.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Filer;
import javax.annotation.processing.Messager;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.Diagnostic;
import org.junit.jupiter.api.Test;

/** The processor in the builds of applications. */
class LockAnnotationProcessorTests {

    private static final Map<String, String> CALL_THROUGH_THIS = Map.of("shop.Orders", """
            package shop;
            import io.github.lockstarter.DistributedLock;
            class Orders {
                @DistributedLock(name = "order", key = "#id")
                public void ship(long id) {}
                public void shipAll() {
                    ship(42);
                }
            }
            """);

    private static final Map<String, String> PRIVATE_METHOD = Map.of("shop.Orders", """
            package shop;
            import io.github.lockstarter.DistributedLock;
            class Orders {
                @DistributedLock(name = "order", key = "#id")
                private void ship(long id) {}
            }
            """);

    private static final Map<String, String> FINE = Map.of("shop.Orders", """
            package shop;
            import io.github.lockstarter.DistributedLock;
            class Orders {
                @DistributedLock(name = "order", key = "#id")
                public void ship(long id) {}
            }
            """);

    private static Compilation compile(Map<String, String> sources, String... options) {
        List<String> all = new ArrayList<>(Compilation.PROCESSED);
        all.addAll(Arrays.asList(options));
        return Compilation.of(sources, all);
    }

    private static List<String> errors(Compilation compilation) {
        return compilation.messages(Diagnostic.Kind.ERROR).getOrDefault("shop.Orders", List.of());
    }

    @Test
    void failsTheCompilationAtTheCall() {
        Compilation compilation = compile(CALL_THROUGH_THIS);

        assertThat(compilation.diagnostics()).singleElement().satisfies(found -> {
            assertThat(found.getKind()).isEqualTo(Diagnostic.Kind.ERROR);
            assertThat(found.getMessage(Locale.ROOT))
                    .isEqualTo("@DistributedLock on Orders.ship(long) cannot take effect here: a call through 'this' "
                            + "bypasses the proxy. Call the method on a bean from another class, or use LockTemplate.");
            assertThat(found.getLineNumber()).isEqualTo(7);
        });
        assertThat(compilation.classes()).isEmptyDirectory();
    }

    @Test
    void failsTheCompilationAtTheDeclaration() {
        assertThat(compile(PRIVATE_METHOD).diagnostics()).singleElement().satisfies(found -> {
            assertThat(found.getKind()).isEqualTo(Diagnostic.Kind.ERROR);
            assertThat(found.getLineNumber()).isEqualTo(5);
        });
    }

    @Test
    void warnsWhenConfigured() {
        for (Map<String, String> sources : List.of(CALL_THROUGH_THIS, PRIVATE_METHOD)) {
            Compilation compilation = compile(sources, "-Alock.selfInvocation=warn");
            assertThat(compilation.messages(Diagnostic.Kind.WARNING)).hasSize(1);
            assertThat(errors(compilation)).isEmpty();
            assertThat(compilation.classes()).isNotEmptyDirectory();
        }
    }

    @Test
    void refusesAnUnknownSeverity() {
        assertThat(compile(FINE, "-Alock.selfInvocation=of").messages(Diagnostic.Kind.ERROR))
                .containsOnlyKeys("")
                .containsValue(List.of("lock.selfInvocation is of. Use error or warn."));
    }

    @Test
    void acceptsACallWhoseWarningIsSuppressed() {
        for (String place : List.of("public void shipAll", "class Orders")) {
            Map<String, String> suppressed = Map.of(
                    "shop.Orders",
                    CALL_THROUGH_THIS
                            .get("shop.Orders")
                            .replace(place, "@SuppressWarnings(\"lock.selfInvocation\") " + place));
            assertThat(compile(suppressed).diagnostics()).isEmpty();
        }
        Map<String, String> other = Map.of(
                "shop.Orders",
                CALL_THROUGH_THIS
                        .get("shop.Orders")
                        .replace("class Orders", "@SuppressWarnings(\"all\") class Orders"));
        assertThat(errors(compile(other))).hasSize(1);
    }

    /** Each that the JDK of the test compiles: 25 in the builds with that. */
    @Test
    void addsNothingToTheBuildOfAnyRelease() {
        for (int release = 17; release <= Runtime.version().feature(); release++) {
            String[] strict = {"-Xlint:all,-processing", "-Werror", "--release", Integer.toString(release)};
            assertThat(compile(FINE, strict).diagnostics())
                    .as("release %s", release)
                    .isEmpty();
            assertThat(errors(compile(CALL_THROUGH_THIS, strict)))
                    .as("release %s", release)
                    .hasSize(1);
        }
    }

    /** The lint category that is left out above: javac warns so beside each processor. */
    @Test
    void leavesAnnotationsToOtherProcessors() {
        assertThat(compile(FINE, "-Xlint:all").diagnostics())
                .singleElement()
                .extracting(Diagnostic::getCode)
                .asString()
                .startsWith("compiler.warn.proc.annotations.without.processor");
    }

    /** Its isolating processors get an environment of its own, with that of the compiler in this field. */
    private record GradleEnvironment(ProcessingEnvironment delegate) implements ProcessingEnvironment {

        @Override
        public Map<String, String> getOptions() {
            return delegate.getOptions();
        }

        @Override
        public Messager getMessager() {
            return delegate.getMessager();
        }

        @Override
        public Filer getFiler() {
            return delegate.getFiler();
        }

        @Override
        public Elements getElementUtils() {
            return delegate.getElementUtils();
        }

        @Override
        public Types getTypeUtils() {
            return delegate.getTypeUtils();
        }

        @Override
        public SourceVersion getSourceVersion() {
            return delegate.getSourceVersion();
        }

        @Override
        public Locale getLocale() {
            return delegate.getLocale();
        }
    }

    private static final class GradleProcessor extends AbstractProcessor {

        private final LockAnnotationProcessor processor = new LockAnnotationProcessor();

        @Override
        public Set<String> getSupportedAnnotationTypes() {
            return processor.getSupportedAnnotationTypes();
        }

        @Override
        public SourceVersion getSupportedSourceVersion() {
            return processor.getSupportedSourceVersion();
        }

        @Override
        public synchronized void init(ProcessingEnvironment environment) {
            processor.init(new GradleEnvironment(environment));
        }

        @Override
        public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
            processor.process(annotations, round);
            return false;
        }
    }

    @Test
    void findsTheCompilerBehindTheEnvironmentOfGradle() {
        assertThat(errors(Compilation.of(
                        Compilation.JAVAC, CALL_THROUGH_THIS, List.of(), List.of(new GradleProcessor()))))
                .isEqualTo(errors(compile(CALL_THROUGH_THIS)))
                .hasSize(1);
    }

    @Test
    void isIsolatingForGradle() throws Exception {
        try (var file = LockAnnotationProcessor.class.getResourceAsStream(
                "/META-INF/gradle/incremental.annotation.processors")) {
            assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualToIgnoringNewLines(LockAnnotationProcessor.class.getName() + ",isolating");
        }
    }
}
