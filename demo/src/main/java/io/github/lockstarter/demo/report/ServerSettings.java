package io.github.lockstarter.demo.report;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Properties of Spring that lead to a server, and of the locks.
 *
 * @param properties by name
 */
public record ServerSettings(Map<String, String> properties) {

    private static final List<String> PREFIXES = List.of("spring.data.redis", "spring.ssl", "distributed-lock");
    private static final String ENABLED = "distributed-lock.enabled";
    private static final String URL = "spring.data.redis.url";

    /** What replaces a password. */
    private static final String MASK = "****";

    /** Copies the properties. */
    public ServerSettings {
        properties = Map.copyOf(properties);
    }

    /**
     * Parses arguments.
     *
     * @param arguments an address, {@code redis://} or {@code rediss://}, and properties, {@code --name=value}
     * @throws IllegalArgumentException for any other
     */
    public static ServerSettings of(Collection<String> arguments) {
        Map<String, String> properties = new TreeMap<>();
        for (String argument : arguments) {
            int equal = argument.indexOf('=');
            if (argument.startsWith("redis://") || argument.startsWith("rediss://")) {
                properties.put(URL, argument);
            } else if (equal > 0 && PREFIXES.stream().anyMatch(prefix -> argument.startsWith("--" + prefix + '.'))) {
                properties.put(argument.substring(2, equal), argument.substring(equal + 1));
            } else {
                throw new IllegalArgumentException("'" + argument + "' is neither an option, nor an address such as"
                        + " redis://host:6379, nor a property such as --spring.data.redis.sentinel.master=locks");
            }
        }
        return new ServerSettings(properties);
    }

    /** These, and those that files and variables of the environment add. */
    ServerSettings in(Environment environment) {
        Binder binder = Binder.get(environment);
        Map<String, String> all = new TreeMap<>();
        for (String prefix : PREFIXES) {
            binder.bind(prefix, Bindable.mapOf(String.class, String.class))
                    .ifBound(found -> found.forEach((name, value) -> all.put(prefix + '.' + name, value)));
        }
        all.remove(ENABLED);
        all.putAll(properties);
        return new ServerSettings(all);
    }

    /** These for an application without locks. */
    ServerSettings withoutLocks() {
        return with(ENABLED, "false");
    }

    ServerSettings with(String name, String value) {
        Map<String, String> all = new TreeMap<>(properties);
        all.put(name, value);
        return new ServerSettings(all);
    }

    /** The text without passwords. */
    String mask(String text) {
        String masked = text;
        for (String secret : secrets().filter(secret -> !secret.isEmpty()).toList()) {
            masked = masked.replace(secret, MASK);
        }
        return masked;
    }

    private Stream<String> secrets() {
        return properties.entrySet().stream().flatMap(property -> {
            if (property.getKey().equals(URL)) {
                return passwords(property.getValue());
            }
            return property.getKey().contains("password") || property.getKey().contains("private-key")
                    ? Stream.of(property.getValue())
                    : Stream.empty();
        });
    }

    /** As written, and as sent. An invalid address may be anything. */
    private static Stream<String> passwords(String url) {
        int begin = url.indexOf("://") + 3;
        int end = url.lastIndexOf('@');
        if (end < begin) {
            return Stream.empty();
        }
        String login = url.substring(begin, end);
        String password = login.substring(login.indexOf(':') + 1);
        return Stream.of(password, URLDecoder.decode(password.replace("+", "%2B"), StandardCharsets.UTF_8));
    }
}
