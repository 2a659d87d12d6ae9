package io.github.lockstarter.faults;

import io.github.lockstarter.kit.check.FencedWritesCheck;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Final values of the resource: each number, and how many writes it accepted. */
final class ResourceNumbers {

    private static final String PREFIX = "resource:";

    private ResourceNumbers() {}

    static List<LabEvent> of(RedisServer resource) {
        return resource.commands().keys(PREFIX + "*").stream()
                .flatMap(name -> {
                    Map<String, String> numbers = resource.commands().hgetall(name);
                    String key = name.substring(PREFIX.length());
                    return Stream.of(
                            event(key, FencedWritesCheck.FENCED, numbers),
                            event(key, FencedWritesCheck.UNFENCED, numbers));
                })
                .toList();
    }

    private static LabEvent event(String key, String number, Map<String, String> numbers) {
        return LabEvent.now(EventKind.RESOURCE, "resource")
                .of(key, 0)
                .between(Long.parseLong(numbers.getOrDefault(number, "0")), 0)
                .counting(Long.parseLong(numbers.getOrDefault(number + "Writes", "0")))
                .noting(number);
    }
}
