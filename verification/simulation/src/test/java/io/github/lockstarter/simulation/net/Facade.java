package io.github.lockstarter.simulation.net;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The methods of a large interface that are used here; all others throw. */
final class Facade {

    private final Map<String, Function<Object[], @Nullable Object>> methods = new HashMap<>();

    /** Adds a method by its name; its arguments are passed as one array. */
    Facade with(String name, Function<Object[], @Nullable Object> method) {
        methods.put(name, method);
        return this;
    }

    /** An object with this interface. */
    @SuppressWarnings("unchecked")
    static <T> T of(Class<? super T> type, Facade facade) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            Function<Object[], @Nullable Object> implementation = facade.methods.get(method.getName());
            if (implementation != null) {
                return implementation.apply(arguments == null ? new Object[0] : arguments);
            }
            return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == arguments[0];
                case "toString" -> type.getSimpleName();
                default -> throw new UnsupportedOperationException(method.toString());
            };
        });
    }
}
