package io.github.lockstarter.simulation.mutant;

import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** How a method of a mutant behaves. */
public interface Behaviour {

    /** Returns this, and does nothing. */
    static Behaviour returning(@Nullable Object result) {
        return new Behaviour() {
            @Override
            public boolean isInPlaceOfTheMethod() {
                return true;
            }

            @Override
            public @Nullable Object end(@Nullable Object self, Object[] arguments, @Nullable Object own) {
                return result;
            }
        };
    }

    /** Does nothing. */
    static Behaviour nothing() {
        return returning(null);
    }

    /** Calls the method, and returns another result, which may be null; has access to the arguments. */
    static Behaviour resulting(BiFunction<Object[], Object, @Nullable Object> change) {
        return new Behaviour() {
            @Override
            public @Nullable Object end(@Nullable Object self, Object[] arguments, @Nullable Object own) {
                return change.apply(arguments, own);
            }
        };
    }

    /** Does something before, with the object and the arguments, which may be replaced. */
    static Behaviour beginning(BiConsumer<Object, Object[]> before) {
        return new Behaviour() {
            @Override
            public void begin(@Nullable Object self, Object[] arguments) {
                before.accept(self, arguments);
            }
        };
    }

    /** Does as before, and then something with the object and the arguments. */
    static Behaviour following(BiConsumer<Object, Object[]> after) {
        return new Behaviour() {
            @Override
            public @Nullable Object end(@Nullable Object self, Object[] arguments, @Nullable Object own) {
                after.accept(self, arguments);
                return own;
            }
        };
    }

    /** Whether the method itself does nothing. */
    default boolean isInPlaceOfTheMethod() {
        return false;
    }

    /** Called before; may replace arguments. */
    default void begin(@Nullable Object self, Object[] arguments) {}

    /** Called with the method's result; returns the result for its caller. */
    default @Nullable Object end(@Nullable Object self, Object[] arguments, @Nullable Object own) {
        return own;
    }
}
