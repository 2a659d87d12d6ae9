package io.github.lockstarter.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Calls of each shape: the processor reports exactly those that run the method of a bean without its lock. */
class SelfInvocationCheckTests {

    private static final Pattern MESSAGE = Pattern.compile(
            "@\\w+ on \\w+\\.ship\\(\\w+\\) cannot take effect here: a call through 'this' bypasses the proxy\\. .+");

    private static final String LOCK = "@io.github.lockstarter.DistributedLock(name = \"order\")";

    /** How the called method gets its lock; <code>%s</code> is its body. */
    private enum Place {
        METHOD("public class Orders { @L public void ship(long id) { %s }"),
        COMPOSED("@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)"
                + " @L @interface Composed {} public class Orders { @Composed public void ship(long id) { %s }"),
        JOB("public class Orders { @io.github.lockstarter.scheduling.ScheduledLock(name = \"order\")"
                + " public void ship(long id) { %s }"),
        PROTECTED("public class Orders { @L protected void ship(long id) { %s }"),
        TYPE("@L public class Orders { public void ship(long id) { %s }"),
        SUPERTYPE("@L class Base {} public class Orders extends Base { public void ship(long id) { %s }"),
        INTERFACE("interface Base { @L void ship(long id); ALL }"
                + " public class Orders implements Base { public void ship(long id) { %s }"),
        GENERIC("interface Base<T> { @L void ship(T id); }"
                + " public class Orders implements Base<Long> { public void ship(Long id) { %s }"),
        OVERRIDDEN("class Base { @L public void ship(long id) { Orders.see(); } }"
                + " public class Orders extends Base { @Override public void ship(long id) { %s }"),
        INHERITED("class Base { @L public void ship(long id) { %s } } public class Orders extends Base {");

        private final String source;

        Place(String source) {
            this.source = source.replace("@L ", LOCK + " ").replace("%s", "ADDED Orders.see();");
        }
    }

    /**
     * How an unlocked method of the bean reaches the locked one.
     *
     * @param run its body
     * @param members further members of the class
     * @param added at the begin of the locked method
     */
    private record Call(String run, String members, String added) {

        static Call of(String run) {
            return new Call(run, "", "");
        }
    }

    private static final List<Call> CALLS = List.of(
            Call.of("ship(1L);"),
            Call.of("this.ship(1L);"),
            Call.of("(this).ship(1L);"),
            Call.of("((Orders) this).ship(1L);"),
            Call.of("Orders.this.ship(1L);"),
            Call.of("super.ship(1L);"),
            Call.of("Runnable ships = () -> ship(1L); ships.run();"),
            Call.of("java.util.function.LongConsumer ships = this::ship; ships.accept(1L);"),
            Call.of("java.util.function.LongConsumer ships = super::ship; ships.accept(1L);"),
            Call.of("java.util.stream.Stream.of(1L).forEach(Orders.this::ship);"),
            Call.of("new Runnable() { public void run() { ship(1L); } }.run();"),
            Call.of("new Runnable() { public void run() { Orders.this.ship(1L); } }.run();"),
            new Call("new Inner().call();", "class Inner { void call() { ship(1L); } }", ""),
            new Call("call(1L);", "private void call(long id) { ship(id); }", ""),
            new Call("ships.run();", "private final Runnable ships = () -> ship(1L);", ""),
            new Call("ship(1);", "private void ship(int id) { self.ship(1L); }", ""),
            new Call("all();", "", ""),
            new Call("self.all();", "", ""),
            // Through the proxy
            Call.of("self.ship(1L);"),
            Call.of("Runnable ships = () -> self.ship(1L); ships.run();"),
            Call.of("java.util.stream.Stream.of(1L).forEach(self::ship);"),
            Call.of("java.util.function.BiConsumer<Orders, Long> ships = Orders::ship; ships.accept(self, 1L);"),
            new Call("call(self);", "private static void call(Orders orders) { orders.ship(1L); }", ""),
            new Call("call(self);", "private void call(Orders orders) { orders.ship(1L); }", ""),
            new Call("self().ship(1L);", "private Orders self() { return self; }", ""),
            // Inside the lock
            new Call("self.ship(2L);", "", "if (id == 2) { ship(1L); return; }"),
            new Call("self.ship(2L);", "", "if (id == 2) { Runnable ships = () -> ship(1L); ships.run(); return; }"),
            new Call("self.ship(2L);", "", "super.ship(id);"));

    /** Calls of a bean on itself that no tree shows to be one. */
    private static final List<String> NOT_FOUND = List.of(
            "public class Orders { " + LOCK + " public void ship(long id) { see(); }"
                    + " public void run() { Orders orders = this; orders.ship(1L); }",
            "class Base { void all() { ship(1L); } void ship(long id) {} }"
                    + " public class Orders extends Base { " + LOCK + " public void ship(long id) { see(); }"
                    + " public void run() { all(); }");

    private static final String MEMBERS = "public static Orders self; public static Boolean held; "
            + "static void see() { held = io.github.lockstarter.LockHandle.current().isPresent(); } }\n";

    private static final Map<String, String> SOURCES = new TreeMap<>();

    private static Set<String> unlocked;

    @BeforeAll
    static void compileAndRun() {
        for (Place place : Place.values()) {
            for (Call call : CALLS) {
                String run = "public void run() throws Exception { " + call.run() + " }";
                String all = call.run().endsWith("all();") ? "default void all() { ship(1); }" : "";
                String type = place.source.replace("ADDED", call.added()).replace("ALL", all);
                add(type + "\n" + run + " " + call.members());
            }
        }
        SOURCES.keySet().retainAll(Compilation.valid(SOURCES).keySet());
        unlocked = unlocked(SOURCES);
    }

    private static void add(String type) {
        String name = "calls%03d".formatted(SOURCES.size());
        SOURCES.put(name + ".Orders", "package " + name + ";\n" + type + "\n" + MEMBERS);
    }

    /** {@return the classes whose method ran without a lock} */
    private static Set<String> unlocked(Map<String, String> sources) {
        Set<String> found = new TreeSet<>();
        Compilation compilation = Compilation.of(sources, Compilation.NOT_PROCESSED);
        LockRunner.application().withClassLoader(compilation.load()).run(context -> {
            DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
            for (String name : sources.keySet()) {
                beans.registerBeanDefinition(name, new RootBeanDefinition(name));
                Object bean = beans.getBean(name);
                Class<?> type = Class.forName(name, true, context.getClassLoader());
                type.getField("self").set(null, bean);
                type.getMethod("run").invoke(bean);
                if (type.getField("held").get(null).equals(false)) {
                    found.add(name);
                }
            }
        });
        return found;
    }

    private static Map<String, List<String>> reported(Map<String, String> sources) {
        List<String> options = new ArrayList<>(Compilation.PROCESSED);
        options.add("-Alock.selfInvocation=warn");
        return Compilation.of(sources, options).messages(Diagnostic.Kind.WARNING);
    }

    @Test
    void reportsTheCallsThatRunWithoutTheLock() {
        Map<String, List<String>> reported = reported(SOURCES);

        assertThat(SOURCES).hasSizeGreaterThan(200);
        assertThat(unlocked).hasSizeBetween(50, SOURCES.size() - 50);
        Map<String, String> missed = new TreeMap<>(SOURCES);
        missed.keySet().retainAll(unlocked);
        missed.keySet().removeAll(reported.keySet());
        assertThat(missed).as("run without a lock, and are not reported").isEmpty();
        Map<String, String> wrong = new TreeMap<>(SOURCES);
        wrong.keySet().retainAll(reported.keySet());
        wrong.keySet().removeAll(unlocked);
        assertThat(wrong).as("are reported, and run with the lock").isEmpty();
        for (List<String> messages : reported.values()) {
            assertThat(messages).allMatch(MESSAGE.asMatchPredicate());
        }
    }

    /** The class comment of the check names these limits. */
    @Test
    void findsNoCallsOfAVariableOrOfAMethodThatASubclassLocks() {
        Map<String, String> sources = new TreeMap<>();
        NOT_FOUND.forEach(type -> {
            String name = "unknown" + sources.size();
            sources.put(name + ".Orders", "package " + name + ";\n" + type + "\n" + MEMBERS);
        });
        assertThat(unlocked(sources)).hasSameSizeAs(NOT_FOUND);
        assertThat(reported(sources)).isEmpty();
    }
}
