package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What it costs to make a key of the arguments of a call. In this package because the expressions are of no other's.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH sets the fields up
public class KeyExpressionBenchmark {

    /**
     * An argument with a property.
     *
     * @param customer the property
     */
    public record Order(String customer) {}

    private final Object[] arguments = {42L, new Order("miller")};
    private KeyExpression argument;
    private KeyExpression property;

    /**
     * Parses the expressions.
     *
     * @throws NoSuchMethodException never
     */
    @Setup
    public void parse() throws NoSuchMethodException {
        Method method = KeyExpressionBenchmark.class.getDeclaredMethod("locked", long.class, Order.class);
        KeyParameters parameters = KeyParameters.of(method, method);
        argument = KeyExpression.parse("#id", method, parameters);
        property = KeyExpression.parse("#id + ':' + #order.customer", method, parameters);
    }

    void locked(long id, Order order) {}

    /**
     * {@code #id}.
     *
     * @return the key
     */
    @Benchmark
    public String argument() {
        return argument.evaluate(arguments);
    }

    /**
     * {@code #id + ':' + #order.customer}.
     *
     * @return the key
     */
    @Benchmark
    public String property() {
        return property.evaluate(arguments);
    }
}
