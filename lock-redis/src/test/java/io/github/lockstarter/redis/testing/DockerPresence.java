package io.github.lockstarter.redis.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/** Whether a Docker daemon answers. Testcontainers is asked only where one may be: its own search is slow and loud. */
final class DockerPresence {

    private static final boolean AVAILABLE =
            mayBeThere() && DockerClientFactory.instance().isDockerAvailable();

    private DockerPresence() {}

    static boolean isAvailable() {
        return AVAILABLE;
    }

    private static boolean mayBeThere() {
        Path home = Path.of(System.getProperty("user.home"));
        return System.getenv("DOCKER_HOST") != null
                || Files.exists(home.resolve(".testcontainers.properties"))
                || Stream.of(Path.of("/var/run/docker.sock"), home.resolve(".docker/run/docker.sock"))
                        .anyMatch(Files::exists);
    }
}
