package io.github.lockstarter.demo.experiment.page;

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

/** The packaged application, as a process of its own with a Redis of its own. */
final class PackagedDemo {

    private static final Pattern URL = Pattern.compile("Open http://localhost:(\\d+)/");

    private final Process process;
    private final Path output;

    private PackagedDemo(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts it.
     *
     * @param directory for its output
     * @return the application, which answers
     */
    static PackagedDemo start(Path directory) throws IOException {
        Path output = directory.resolve("output.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ChildJvm.SMALL);
        command.addAll(ChildJvm.directories());
        command.addAll(List.of(
                "-jar",
                System.getProperty("demo.jar"),
                "--server.port=0",
                // The last buyer of a crowd waits for all others, on a busy machine longer than the usual 5 s.
                "--distributed-lock.locks.sale.max-wait=60s",
                "--distributed-lock.redis.command-timeout=20s",
                "--spring.data.redis.timeout=20s",
                "--spring.data.redis.port=" + FreePort.next()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        PackagedDemo demo = new PackagedDemo(process, output);
        await().atMost(Duration.ofMinutes(3)).until(() -> demo.url().find() || !process.isAlive());
        assertThat(process.isAlive()).as(demo::text).isTrue();
        return demo;
    }

    int port() {
        Matcher matcher = url();
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    /** How many processes it has started that still run. */
    long descendants() {
        return process.descendants().count();
    }

    /** Ends it, and all processes that it has started. */
    void end() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private Matcher url() {
        return URL.matcher(text());
    }

    private String text() {
        try {
            return Files.readString(output);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
