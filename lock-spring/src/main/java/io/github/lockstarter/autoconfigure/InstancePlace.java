package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.env.Environment;

/** The {@code host/application} of this instance, for operators. Asks no name service, which could block startup. */
final class InstancePlace {

    /** The space in a token, without the separator. */
    private static final int LONGEST = 39;

    private static final int LONGEST_HOST = 24;
    private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

    private InstancePlace() {}

    static String of(Environment environment) {
        String host = end(host(environment), LONGEST_HOST);
        String application =
                end(environment.getProperty("spring.application.name", "").replace('@', '?'), LONGEST - host.length());
        return application.isBlank() ? host : host + '/' + application;
    }

    private static String host(Environment environment) {
        return Stream.of("HOSTNAME", "COMPUTERNAME")
                .flatMap(name -> Optional.ofNullable(environment.getProperty(name)).stream())
                .filter(name -> !name.isBlank())
                .findFirst()
                .orElseGet(InstancePlace::ofKernel)
                .replaceAll("[@/]", "?");
    }

    private static String ofKernel() {
        try {
            return Files.readString(KERNEL).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** The end distinguishes the pods of a deployment. */
    private static String end(String name, int length) {
        return name.substring(Math.max(0, name.length() - length));
    }
}
