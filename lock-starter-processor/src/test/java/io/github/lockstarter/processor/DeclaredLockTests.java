package io.github.lockstarter.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.leader.LeaderAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Declarations of each shape: the processor reports exactly those with which a bean is refused behind each kind of
 * proxy, in the words of the start.
 */
@Tag("full")
class DeclaredLockTests {

    private static final List<String> TYPES =
            List.of("public class Subject", "public final class Subject", "public record Subject()");
    private static final List<String> ANNOTATIONS = List.of(
            "@io.github.lockstarter.DistributedLock(name = \"order\")",
            "@io.github.lockstarter.scheduling.ScheduledLock(name = \"order\")",
            "@io.github.lockstarter.leader.LeaderOnly(\"order\")",
            "@Composed");
    private static final List<String> MODIFIERS = List.of(
            "public",
            "protected",
            "",
            "private",
            "public final",
            "protected final",
            "final",
            "private final",
            "public static",
            "static",
            "private static",
            "static final");
    private static final String METHOD =
            "void ship(long id, String[] names, java.util.Map.Entry<String, Long>... rest)";

    /** Declared by, or beside, the contract of the subject. */
    private enum Contract {
        NONE(""),
        INTERFACE("interface Contract { %s " + METHOD + "; }"),
        OTHER_INTERFACE("interface Contract { default void other() {} }"),
        ABSTRACT_CLASS("abstract class Contract { %s abstract " + METHOD + "; }"),
        CLASS("class Contract { %s public " + METHOD + " {} }");

        private final String source;

        Contract(String source) {
            this.source = source;
        }

        String relation() {
            return this == NONE ? "" : source.startsWith("interface") ? " implements Contract" : " extends Contract";
        }
    }

    private enum Place {
        METHOD,
        TYPE,
        CONTRACT_METHOD,
        CONTRACT_TYPE
    }

    private static final Map<String, String> SOURCES = new TreeMap<>();

    private static Compilation compilation;
    private static Map<String, List<String>> reported;

    @BeforeAll
    static void compile() {
        for (String type : TYPES) {
            for (Contract contract : Contract.values()) {
                for (Place place : Place.values()) {
                    for (String annotation : ANNOTATIONS) {
                        MODIFIERS.forEach(modifiers -> add(type, contract, place, annotation, modifiers));
                    }
                }
            }
        }
        Map<String, String> valid = Compilation.valid(SOURCES);
        SOURCES.keySet().retainAll(valid.keySet());
        compilation = Compilation.of(SOURCES, Compilation.NOT_PROCESSED);
        List<String> options = new ArrayList<>(Compilation.PROCESSED);
        options.add("-Alock.selfInvocation=warn");
        reported = Compilation.of(SOURCES, options).messages(Diagnostic.Kind.WARNING);
    }

    private static void add(String type, Contract contract, Place place, String annotation, String modifiers) {
        String name = "shape" + SOURCES.size();
        String source = "package " + name + ";\n"
                + "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)\n"
                + "@io.github.lockstarter.DistributedLock(name = \"order\") @interface Composed {}\n"
                + (place == Place.CONTRACT_TYPE ? annotation + " " : "")
                + contract.source.formatted(place == Place.CONTRACT_METHOD ? annotation : "") + "\n"
                + (place == Place.TYPE ? annotation + " " : "")
                + type + contract.relation() + " {\n"
                + (place == Place.METHOD ? annotation + " " : "")
                + modifiers + " " + METHOD + " {}\n"
                + "}\n";
        boolean declaresNothing = contract == Contract.NONE || contract == Contract.OTHER_INTERFACE;
        if (!(place == Place.CONTRACT_METHOD && declaresNothing)
                && !(place == Place.CONTRACT_TYPE && contract == Contract.NONE)) {
            SOURCES.put(name + ".Subject", source);
        }
    }

    @Test
    void reportsWhatTheStartRefusesBehindEachProxy() {
        Map<String, String> refusedAsClass = refused("true");
        Map<String, String> refused = new TreeMap<>(refusedAsClass);
        refused.keySet().retainAll(refused("false").keySet());

        assertThat(SOURCES).hasSizeGreaterThan(300);
        assertThat(refused).hasSizeBetween(50, SOURCES.size() - 50);
        assertThat(refusedAsClass).hasSizeGreaterThan(refused.size());
        Map<String, String> found = new TreeMap<>();
        reported.forEach((name, messages) -> found.put(name, String.join(" AND ", messages)));
        Map<String, String> different = new TreeMap<>();
        SOURCES.forEach((name, source) -> {
            String expected = refused.getOrDefault(name, "");
            String actual = found.getOrDefault(name, "");
            if (!expected.equals(actual)) {
                different.put(name, source + "start: " + expected + "\nprocessor: " + actual + "\n");
            }
        });
        assertThat(different).isEmpty();
    }

    /** {@return the failures by class} */
    private static Map<String, String> refused(String proxiesClasses) {
        Map<String, String> failures = new TreeMap<>();
        LockRunner.application(LeaderAutoConfiguration.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxiesClasses)
                .withClassLoader(compilation.load())
                .run(context -> {
                    DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
                    for (String name : SOURCES.keySet()) {
                        RootBeanDefinition definition = new RootBeanDefinition(name);
                        definition.setScope(RootBeanDefinition.SCOPE_PROTOTYPE);
                        beans.registerBeanDefinition(name, definition);
                        Throwable failure = catchThrowable(() -> beans.getBean(name));
                        if (failure != null) {
                            failures.put(name, text(failure).orElseThrow(() -> new AssertionError(name, failure)));
                        }
                    }
                });
        return failures;
    }

    private static Optional<String> text(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockStartException start) {
                return Optional.of(start.getMessage() + " " + start.action());
            }
        }
        return Optional.empty();
    }
}
