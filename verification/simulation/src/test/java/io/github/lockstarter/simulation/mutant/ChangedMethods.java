package io.github.lockstarter.simulation.mutant;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Has methods of loaded classes behave in another way, until it is closed. The classes are shared by all threads of the
 * JVM; one of these exists at a time, and one thread runs the changed methods.
 */
public final class ChangedMethods implements AutoCloseable {

    private static final Map<String, Behaviour> BEHAVIOURS = new HashMap<>();

    static {
        ByteBuddyAgent.install();
    }

    private final ClassReloadingStrategy classes = ClassReloadingStrategy.fromInstalledAgent();
    private final List<Class<?>> changed = new ArrayList<>();

    /** Changes them; fails if a class or a method is not there. */
    ChangedMethods(List<MethodChange> changes) {
        if (!BEHAVIOURS.isEmpty()) {
            throw new IllegalStateException("Others are changed: " + BEHAVIOURS.keySet());
        }
        requireThere(changes);
        changes.forEach(change -> BEHAVIOURS.put(change.id(), change.behaviour()));
        try {
            changes.stream()
                    .map(MethodChange::type)
                    .distinct()
                    .forEach(type -> change(
                            type,
                            changes.stream()
                                    .filter(change -> change.type().equals(type))
                                    .map(MethodChange::method)
                                    .toList()));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Fails if a class or a method is not there; changes none. */
    static void requireThere(List<MethodChange> changes) {
        for (MethodChange change : changes) {
            if (Arrays.stream(load(change.type()).getDeclaredMethods())
                    .noneMatch(each -> each.getName().equals(change.method()))) {
                throw new IllegalStateException(change.type() + " has no method " + change.method());
            }
        }
    }

    private void change(String name, List<String> methods) {
        Class<?> type = load(name);
        new ByteBuddy()
                .redefine(type)
                .visit(Advice.to(Changed.class)
                        .on(ElementMatchers.namedOneOf(methods.toArray(String[]::new))
                                .and(ElementMatchers.not(ElementMatchers.isBridge()))))
                .make()
                .load(type.getClassLoader(), classes);
        changed.add(type);
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("No class " + name, e);
        }
    }

    /** Restores the methods. */
    @Override
    public void close() {
        try {
            if (!changed.isEmpty()) {
                classes.reset(ClassFileLocator.ForClassLoader.ofSystemLoader(), changed.toArray(Class<?>[]::new));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            BEHAVIOURS.clear();
        }
    }

    /** Called by changed methods. */
    public static Behaviour behaviour(String id) {
        return BEHAVIOURS.getOrDefault(id, Behaviour.resulting((arguments, own) -> own));
    }

    /** Byte Buddy copies this code into the changed methods. */
    static final class Changed {

        private Changed() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean begin(
                @Advice.Origin("#t.#m") String id,
                @Advice.This(optional = true) @Nullable Object self,
                @Advice.AllArguments(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object[] arguments) {
            Object[] changed = arguments;
            behaviour(id).begin(self, changed);
            arguments = changed;
            return behaviour(id).isInPlaceOfTheMethod();
        }

        @Advice.OnMethodExit
        static void end(
                @Advice.Origin("#t.#m") String id,
                @Advice.This(optional = true) @Nullable Object self,
                @Advice.AllArguments(typing = Assigner.Typing.DYNAMIC) Object[] arguments,
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) @Nullable Object result) {
            result = behaviour(id).end(self, arguments, result);
        }
    }
}
