package io.github.lockstarter.benchmarks.server;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server that was started as a command, and its directory. It ends with {@link #close}, and with this JVM however
 * that ends: a shell that holds the other end of a pipe from here kills it.
 */
final class GuardedProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Becomes the command; leaves a guard behind that waits for the end of standard input, then kills and tidies up.
     */
    private static final String GUARD = "exec 3<&0; directory=$1; shift;"
            + " (read -r _; kill -9 $$; rm -rf \"$directory\") <&3 >/dev/null 2>&1 & exec \"$@\" </dev/null 3<&-";

    private final Process process;

    private GuardedProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a command and waits until it accepts connections.
     *
     * @param directory removed at the end
     * @param command program and arguments
     * @param port where it shall listen
     * @throws IllegalStateException when it does not
     */
    static GuardedProcess start(Path directory, List<String> command, LoopbackPort port) throws IOException {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard", directory.toString()));
        guarded.addAll(command);
        GuardedProcess server = new GuardedProcess(new ProcessBuilder(guarded)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
        try {
            port.waitUntilOpen(server::isAlive);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Duration cpuTime() {
        return ProcessTimes.ofTree(process.pid());
    }

    /** Kills the server; its guard removes its files. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
