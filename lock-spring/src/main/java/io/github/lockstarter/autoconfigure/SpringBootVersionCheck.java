package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.LockStartException;
import java.util.Arrays;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** Refuses older versions of Spring Boot before their missing features fail in other words. */
final class SpringBootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final int[] OLDEST = {3, 5};

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        check(SpringBootVersion.getVersion());
    }

    static void check(String version) {
        int[] actual = Arrays.stream(version.split("[.-]"))
                .limit(2)
                .mapToInt(Integer::parseInt)
                .toArray();
        if (Arrays.compare(actual, OLDEST) < 0) {
            throw new LockStartException(
                    "lock-starter needs Spring Boot 3.5 or later, and this application has " + version,
                    "Update Spring Boot, or remove lock-starter.");
        }
    }
}
