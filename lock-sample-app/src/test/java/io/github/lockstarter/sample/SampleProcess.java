package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sample in a JVM of its own, with a Redis that it starts. */
final class SampleProcess implements AutoCloseable {

    private static final Pattern OWN_REDIS = Pattern.compile("started a Redis at 127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern URL = Pattern.compile("URL=http://localhost:(\\d+)");

    private final Process process;
    private final Path output;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts it with these arguments of the JVM, followed by those of the application. */
    static SampleProcess start(Path output, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ChildJvm.SMALL);
        command.addAll(ChildJvm.directories());
        command.addAll(arguments);
        command.addAll(List.of(
                "--server.port=0",
                "--spring.data.redis.port=" + FreePort.next(),
                "--spring.data.redis.timeout=20s",
                "--distributed-lock.redis.command-timeout=20s")); // for busy machines
        return new SampleProcess(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                output);
    }

    /** Waits until it serves, and gives a client. */
    SampleClient client() {
        await().atMost(Duration.ofMinutes(3)).until(() -> printed(URL).find() || !process.isAlive());
        assertThat(process.isAlive()).as(this::text).isTrue();
        return new SampleClient(number(URL));
    }

    int redisPort() {
        return number(OWN_REDIS);
    }

    /** Waits until it has ended, and gives its exit code. */
    int awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS))
                .as(this::text)
                .isTrue();
        return process.exitValue();
    }

    void terminate() {
        process.destroy();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Its output. */
    String text() {
        try {
            return Files.readString(output);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private int number(Pattern pattern) {
        Matcher printed = printed(pattern);
        assertThat(printed.find()).isTrue();
        return Integer.parseInt(printed.group(1));
    }

    private Matcher printed(Pattern pattern) {
        return pattern.matcher(text());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
