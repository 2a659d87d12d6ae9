package io.github.lockstarter.demo.command;

import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** A terminal command, which ends everything it started, even after Ctrl-C. */
public abstract class DemoCommand implements Callable<Integer> {

    static final int FAILED = 1;

    @Option(names = "--help", usageHelp = true, description = "this text")
    @SuppressWarnings("UnusedVariable") // Read by picocli.
    private boolean help;

    @Spec
    private @Nullable CommandSpec spec;

    /**
     * Runs a command.
     *
     * @param arguments {@code experiment}, {@code gallery} or {@code report}, and options
     * @return the exit status
     */
    public static int run(String... arguments) {
        LoggingSystem.get(DemoCommand.class.getClassLoader())
                .setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.ERROR);
        DemoCommand command =
                switch (arguments[0]) {
                    case "gallery" -> new GalleryCommand();
                    case "report" -> new ReportCommand();
                    default -> new ExperimentCommand();
                };
        return commandLine(command)
                .execute(List.of(arguments).subList(1, arguments.length).toArray(String[]::new));
    }

    static CommandLine commandLine(DemoCommand command) {
        return new CommandLine(command)
                .setUnmatchedOptionsArePositionalParams(command instanceof ReportCommand)
                .registerConverter(Variant.class, constantOf(Variant.class))
                .registerConverter(Exhibit.class, constantOf(Exhibit.class))
                .setExecutionExceptionHandler((failure, line, result) -> {
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    line.getErr().println("The command failed: " + cause.getMessage());
                    return FAILED;
                });
    }

    private static <E extends Enum<E>> ITypeConverter<E> constantOf(Class<E> type) {
        return name -> KebabCase.find(type, name)
                .orElseThrow(() ->
                        new TypeConversionException("'" + name + "' is unknown. Choose from " + KebabCase.all(type)));
    }

    /** @throws IllegalArgumentException if an option is wrong; its message is for users */
    abstract void check();

    abstract int execute();

    /** Ends everything that was started. Idempotent. */
    abstract void end();

    /** Ctrl-C runs the shutdown hooks while this thread is still waiting. */
    @Override
    public final Integer call() {
        try {
            check();
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(commandLine(), wrong.getMessage());
        }
        Thread hook = new Thread(this::interrupted, "end-of-command");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return execute();
        } finally {
            try {
                end();
            } finally {
                remove(hook);
            }
        }
    }

    final void print(String line) {
        commandLine().getOut().println(line);
        commandLine().getOut().flush();
    }

    private void interrupted() {
        try {
            end();
            print("Interrupted. Everything that was started has been ended.");
        } catch (RuntimeException failure) {
            print("Interrupted. " + failure.getMessage());
        }
    }

    /** Blocks forever if the hook is already running: it reports the end and must be the only one to do so. */
    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException underWay) {
            LockSupport.park();
        }
    }

    private CommandLine commandLine() {
        if (spec == null) {
            throw new IllegalStateException("Not run by picocli");
        }
        return spec.commandLine();
    }
}
