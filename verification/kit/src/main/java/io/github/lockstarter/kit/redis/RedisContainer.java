package io.github.lockstarter.kit.redis;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.process.Polling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** Redis in a container that keeps its host port over restarts. */
final class RedisContainer extends RedisServer {

    private static final DockerImageName IMAGE = DockerImageName.parse("redis:7.4-alpine");
    private static final int INNER_PORT = 6379;
    private static final boolean IS_PREFERRED = !RedisBinary.isNamed()
            && mayBeThere()
            && DockerClientFactory.instance().isDockerAvailable();

    private final GenericContainer<?> container;
    private boolean paused;

    @SuppressWarnings("resource") // closed with this server
    private RedisContainer(int port, String... arguments) {
        super(port, arguments);
        PortBinding binding = new PortBinding(Ports.Binding.bindPort(port), ExposedPort.tcp(INNER_PORT));
        container = new GenericContainer<>(IMAGE)
                .withExposedPorts(INNER_PORT)
                .withCommand(Stream.concat(Stream.of("redis-server"), ownArguments().stream())
                        .toArray(String[]::new))
                .withCreateContainerCmdModifier(create -> create.getHostConfig().withPortBindings(binding));
    }

    /** Whether Docker is available and no binary is named. */
    static boolean isPreferred() {
        return IS_PREFERRED;
    }

    /** The search of Testcontainers is slow and verbose, so it only runs where Docker may be installed. */
    private static boolean mayBeThere() {
        Path home = Path.of(System.getProperty("user.home"));
        return System.getenv("DOCKER_HOST") != null
                || Files.exists(home.resolve(".testcontainers.properties"))
                || Stream.of(Path.of("/var/run/docker.sock"), home.resolve(".docker/run/docker.sock"))
                        .anyMatch(Files::exists);
    }

    static RedisServer startContainer(String... arguments) {
        return start(() -> new RedisContainer(FreePort.next(), arguments));
    }

    @Override
    public String host() {
        return DockerClientFactory.instance().dockerHostIpAddress();
    }

    @Override
    public String log() {
        return container.getLogs();
    }

    @Override
    public synchronized void pause() {
        docker().pauseContainerCmd(container.getContainerId()).exec();
        paused = true;
    }

    @Override
    public synchronized void resume() {
        if (paused) {
            docker().unpauseContainerCmd(container.getContainerId()).exec();
            paused = false;
        }
    }

    @Override
    public synchronized void kill() {
        resume();
        if (isRunning()) {
            docker().killContainerCmd(container.getContainerId()).exec();
            Polling.until(() -> !isRunning());
        }
        disconnect();
    }

    @Override
    public synchronized void stop() {
        resume();
        if (isRunning()) {
            docker().stopContainerCmd(container.getContainerId()).exec();
        }
        disconnect();
    }

    @Override
    public synchronized void launch() {
        if (container.getContainerId() == null) {
            container.start();
        } else {
            docker().startContainerCmd(container.getContainerId()).exec();
        }
    }

    @Override
    public void awaitReady() {
        if (!Polling.until(this::answers)) {
            throw new IllegalStateException("The Redis container does not answer on port " + port() + ":\n" + log());
        }
    }

    @Override
    public synchronized void setClock(Duration ahead) {
        throw new UnsupportedOperationException("A container has the clock of its host");
    }

    @Override
    public synchronized void close() {
        container.stop();
        super.close();
    }

    private boolean isRunning() {
        return container.getContainerId() != null
                && Boolean.TRUE.equals(docker().inspectContainerCmd(container.getContainerId())
                        .exec()
                        .getState()
                        .getRunning());
    }

    private DockerClient docker() {
        return container.getDockerClient();
    }
}
