package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How large the knots of classes are that use one another, each with its nested ones. */
class ClassCycleTests {

    private static final String BASE = "io.github.lockstarter";

    /**
     * Types that form one idea and need each other. One run of an engine: the object of a key decides on its data,
     * which reference it, since a caller's handle finds it through them; the run executes its decisions.
     */
    private static final Set<Set<String>> BELONG_TOGETHER = Set.of(Set.of(
            "Running",
            "KeyLock",
            "HeldSlots",
            "Watchdog",
            "Waiter",
            "WaitQueue",
            "Attempt",
            "Hold",
            "Detachment",
            "Downgrade",
            "RenewAttempt",
            "WaitOutcome",
            "Obstacle"));

    @Test
    void classesHaveNoCyclesOfMoreThanTwo() {
        assertThat(knots(BASE, Stream.concat(ArchitectureTests.STARTER.stream(), ArchitectureTests.KIT.stream())))
                .filteredOn(knot -> knot.size() > 2)
                .filteredOn(knot -> !BELONG_TOGETHER.contains(knot))
                .isEmpty();
    }

    @Test
    void findsAPlantedCycle() {
        assertThat(knots(
                        getClass().getPackageName(),
                        new ClassFileImporter().importClasses(One.class, Two.class, Three.class).stream()))
                .contains(Set.of("ClassCycleTests$One", "ClassCycleTests$Two", "ClassCycleTests$Three"));
    }

    /** The sets of two types and more of which each reaches each other. */
    private static Set<Set<String>> knots(String packages, Stream<JavaClass> types) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass type : types.toList()) {
            Set<String> used = uses.computeIfAbsent(unitOf(type), unit -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(each -> each.getTargetClass().getBaseComponentType())
                    .filter(each -> each.getPackageName().startsWith(packages))
                    .map(ClassCycleTests::unitOf)
                    .forEach(used::add);
        }
        Map<String, Set<String>> reached =
                uses.keySet().stream().collect(Collectors.toMap(unit -> unit, unit -> reachable(unit, uses)));
        return reached.keySet().stream()
                .map(unit -> reached.get(unit).stream()
                        .filter(other -> reached.getOrDefault(other, Set.of()).contains(unit))
                        .map(other -> other.substring(other.lastIndexOf('.') + 1))
                        .collect(Collectors.toSet()))
                .filter(knot -> knot.size() > 1)
                .collect(Collectors.toSet());
    }

    private static Set<String> reachable(String unit, Map<String, Set<String>> uses) {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(uses.get(unit));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (reached.add(next)) {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    /** A top-level type with all that is nested in it; of the types planted here, each one alone. */
    private static String unitOf(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 || name.startsWith(ClassCycleTests.class.getName()) ? name : name.substring(0, nested);
    }

    /** Planted. */
    @SuppressWarnings("unused")
    private static final class One {
        private Two next;
    }

    @SuppressWarnings("unused")
    private static final class Two {
        private Three next;
    }

    @SuppressWarnings("unused")
    private static final class Three {
        private One next;
    }
}
