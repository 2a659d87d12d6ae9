package io.github.lockstarter.benchmarks.jvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a {@link ChildTask}. Halts at the end of its standard input. Prints a numbered line for each answer or failure;
 * the parent ignores other lines, such as logs.
 */
public final class ChildMain {

    private static final Logger LOG = LoggerFactory.getLogger(ChildMain.class);

    static final String ANSWER = "answer ";
    static final String FAILURE = "failure ";

    private ChildMain() {}

    public static void main(String[] arguments) throws ReflectiveOperationException, InterruptedException {
        BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> readInto(commands), "parent");
        reader.setDaemon(true);
        reader.start();
        ChildTask task = Class.forName(arguments[0])
                .asSubclass(ChildTask.class)
                .getDeclaredConstructor()
                .newInstance();
        for (int number = 1; ; number++) {
            System.out.println(answer(task, number, commands.take()));
        }
    }

    private static String answer(ChildTask task, int number, String command) {
        try {
            return ANSWER + number + " " + task.answer(command.split(" ", -1));
        } catch (Exception e) {
            LOG.error("{} could not answer '{}'", task.getClass().getSimpleName(), command, e);
            return FAILURE + number + " " + e.toString().replaceAll("\\R", " ");
        }
    }

    private static void readInto(BlockingQueue<String> commands) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            input.lines().forEach(commands::add);
        } catch (UncheckedIOException | IOException e) {
            // The parent has ended.
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }
}
