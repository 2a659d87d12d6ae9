package io.github.lockstarter.redis.testing;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.Patience;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** A Redis container with a host port of its own, so that it comes back on the same port. */
final class ContainerRedisServer implements RedisServer {

    private static final DockerImageName IMAGE = DockerImageName.parse("redis:7.4-alpine");
    private static final int INNER_PORT = 6379;

    private final GenericContainer<?> container;
    private final int port;
    private final FixtureClient client;
    private boolean paused;

    private ContainerRedisServer(GenericContainer<?> container, int port) {
        this.container = container;
        this.port = port;
        this.client = new FixtureClient(container.getHost(), port);
    }

    // The container is closed with the server that is returned.
    @SuppressWarnings("resource")
    static ContainerRedisServer start(String... arguments) {
        int port = FreePort.next();
        List<String> command = new ArrayList<>(List.of("redis-server", "--save", "", "--appendonly", "no"));
        command.addAll(List.of(FixtureClient.serverArguments()));
        command.addAll(List.of(arguments));
        PortBinding binding = new PortBinding(Ports.Binding.bindPort(port), ExposedPort.tcp(INNER_PORT));
        GenericContainer<?> container = new GenericContainer<>(IMAGE)
                .withExposedPorts(INNER_PORT)
                .withCommand(command.toArray(String[]::new))
                .withCreateContainerCmdModifier(create -> create.getHostConfig().withPortBindings(binding));
        container.start();
        ContainerRedisServer server = new ContainerRedisServer(container, port);
        server.awaitReady();
        return server;
    }

    @Override
    public String host() {
        return container.getHost();
    }

    @Override
    public int port() {
        return port;
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
            Patience.until(() -> !isRunning());
        }
        client.disconnect();
    }

    @Override
    public synchronized void stop() {
        resume();
        if (isRunning()) {
            docker().stopContainerCmd(container.getContainerId()).exec();
        }
        client.disconnect();
    }

    @Override
    public synchronized void restart() {
        kill();
        docker().startContainerCmd(container.getContainerId()).exec();
        awaitReady();
    }

    @Override
    public RedisCommands<String, String> commands() {
        return client.commands();
    }

    @Override
    public synchronized void close() {
        client.close();
        container.stop();
    }

    private DockerClient docker() {
        return container.getDockerClient();
    }

    private boolean isRunning() {
        return Stream.of(docker().inspectContainerCmd(container.getContainerId())
                        .exec()
                        .getState())
                .anyMatch(state -> Boolean.TRUE.equals(state.getRunning()));
    }

    private void awaitReady() {
        if (!Patience.until(this::answers)) {
            throw new IllegalStateException("The Redis container does not answer on port " + port + ":\n" + log());
        }
    }
}
