package io.github.lockstarter.benchmarks.jvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Runs a {@link ChildTask}. Ends at once when its standard input does, whatever the task is doing. */
public final class ChildMain {

    static final String ANSWER = "answer ";
    static final String FAILURE = "failure ";

    private ChildMain() {}

    /**
     * Runs.
     *
     * @param arguments name of the task's class
     * @throws ReflectiveOperationException when there is no such task
     * @throws InterruptedException when interrupted
     */
    public static void main(String[] arguments) throws ReflectiveOperationException, InterruptedException {
        BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> readInto(commands), "parent");
        reader.setDaemon(true);
        reader.start();
        ChildTask task = Class.forName(arguments[0])
                .asSubclass(ChildTask.class)
                .getDeclaredConstructor()
                .newInstance();
        while (true) {
            System.out.println(answer(task, commands.take()));
        }
    }

    private static String answer(ChildTask task, String command) {
        try {
            return ANSWER + task.answer(command.split(" ", -1));
        } catch (Exception e) {
            e.printStackTrace();
            return FAILURE + e;
        }
    }

    private static void readInto(BlockingQueue<String> commands) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            input.lines().forEach(commands::add);
        } catch (UncheckedIOException | IOException e) {
            // The parent is gone, as at the end of the input.
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }
}
