package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The argument names of a key expression: always {@code #p0} and {@code #a0}, and the parameter names if the class file
 * has them.
 *
 * @param names of the annotated method, else of the called one
 */
record KeyParameters(int count, Optional<List<String>> names) {

    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    static KeyParameters of(Method annotated, Method called) {
        int hidden = KotlinDetector.isSuspendingFunction(called) ? 1 : 0;
        return new KeyParameters(
                called.getParameterCount() - hidden, namesOf(annotated).or(() -> namesOf(called)));
    }

    private static Optional<List<String>> namesOf(Method method) {
        return Optional.ofNullable(DISCOVERER.getParameterNames(method)).map(List::of);
    }

    Map<String, Integer> positions() {
        Map<String, Integer> positions = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            int position = i;
            names.ifPresent(known -> positions.put(known.get(position), position));
        }
        for (int i = 0; i < count; i++) {
            positions.putIfAbsent("p" + i, i);
            positions.putIfAbsent("a" + i, i);
        }
        return positions;
    }

    String advice() {
        if (count == 0) {
            return "The method has no parameters: use a fixed text in single quotes, or no key at all.";
        }
        String known = positions().keySet().stream().map(name -> "#" + name).collect(Collectors.joining(", "));
        String advice = "A key may use " + known + ", their properties and their methods.";
        return names.isPresent()
                ? advice
                : advice + " The class file has no parameter names: compile with -parameters, as the Maven and Gradle "
                        + "plugins of Spring Boot do, or use the positions.";
    }
}
