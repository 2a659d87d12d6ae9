package io.github.lockstarter.benchmarks.micro;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
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
import org.springframework.util.StringValueResolver;

/**
 * The cost of building a key from method arguments. Calls the package-private expression through a method handle,
 * which compiles to a plain call.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH sets the fields
public class KeyExpressionBenchmark {

    public record Order(String customer) {}

    private static final String PACKAGE = "io.github.lockstarter.aop.";
    private static final MethodHandle EVALUATE = evaluate();

    private final Object[] arguments = {42L, new Order("miller")};
    private Object argument;
    private Object property;

    private static MethodHandle evaluate() {
        try {
            Class<?> type = Class.forName(PACKAGE + "KeyExpression");
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .unreflect(type.getDeclaredMethod("evaluate", Object[].class))
                    .asFixedArity()
                    .asType(MethodType.methodType(String.class, Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Setup
    public void parse() throws ReflectiveOperationException {
        Method method = KeyExpressionBenchmark.class.getDeclaredMethod("locked", long.class, Order.class);
        argument = parse("#id", method);
        property = parse("#id + ':' + #order.customer", method);
    }

    private static Object parse(String expression, Method method) throws ReflectiveOperationException {
        Class<?> parameters = Class.forName(PACKAGE + "KeyParameters");
        Method read = parameters.getDeclaredMethod("of", Method.class, Method.class);
        Class<?> placeholders = Class.forName(PACKAGE + "Placeholders");
        Constructor<?> none = placeholders.getDeclaredConstructor(Method.class, StringValueResolver.class);
        Method parse = Class.forName(PACKAGE + "KeyExpression")
                .getDeclaredMethod("parse", String.class, Method.class, parameters, placeholders);
        read.setAccessible(true);
        none.setAccessible(true);
        parse.setAccessible(true);
        StringValueResolver unchanged = text -> text;
        return parse.invoke(
                null, expression, method, read.invoke(null, method, method), none.newInstance(method, unchanged));
    }

    void locked(long id, Order order) {}

    /** {@code #id}. */
    @Benchmark
    public String argument() throws Throwable {
        return (String) EVALUATE.invokeExact(argument, arguments);
    }

    /** {@code #id + ':' + #order.customer}. */
    @Benchmark
    public String property() throws Throwable {
        return (String) EVALUATE.invokeExact(property, arguments);
    }
}
