package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The positions of the arguments by name: {@code #p0}, {@code #a0}, and the parameter names of the annotated method,
 * else of the called one, if the class file has them.
 */
record KeyParameters(Map<String, Integer> positions, boolean isNamed) {

    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    static KeyParameters of(Method annotated, Method called) {
        int count = called.getParameterCount() - (KotlinDetector.isSuspendingFunction(called) ? 1 : 0);
        String[] annotatedNames = DISCOVERER.getParameterNames(annotated);
        String[] names = annotatedNames == null ? DISCOVERER.getParameterNames(called) : annotatedNames;
        Map<String, Integer> positions = new LinkedHashMap<>();
        for (int i = 0; i < count && names != null; i++) {
            positions.put(names[i], i);
        }
        for (int i = 0; i < count; i++) {
            positions.putIfAbsent("p" + i, i);
            positions.putIfAbsent("a" + i, i);
        }
        return new KeyParameters(positions, names != null);
    }

    String advice() {
        if (positions.isEmpty()) {
            return "The method has no parameters: use a fixed text in single quotes, or no key at all.";
        }
        String known = positions.keySet().stream().map(name -> "#" + name).collect(Collectors.joining(", "));
        String advice = "A key may use " + known + ", their properties and their methods.";
        return isNamed
                ? advice
                : advice + " The class file has no parameter names: compile with -parameters, as the Maven and Gradle "
                        + "plugins of Spring Boot do, or use the positions.";
    }
}
