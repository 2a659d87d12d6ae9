package io.github.lockstarter.sample.experiment;

import io.github.lockstarter.sample.experiment.pageview.Variant;
import io.github.lockstarter.sample.experiment.run.RunPlan;
import io.github.lockstarter.sample.experiment.stage.Backend;
import io.github.lockstarter.sample.experiment.stage.StagePlan;
import io.github.lockstarter.sample.experiment.stage.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the command line asks for.
 *
 * @param requests requests at once in each variant
 * @param stage what to set up
 * @param variants what to run, in this order
 * @param chaos whether instances are killed and stopped, and Redis restarted, in mid-run
 */
record ExperimentOptions(int requests, StagePlan stage, List<Variant> variants, boolean chaos) {

    static final String HELP = """
            Usage: java -jar lock-sample-app.jar experiment [options]

            Counts page views in four ways, with real instances, Redis servers and a reverse proxy, and
            prints what became of the counter.

              --requests=666           requests at once in each variant, 1 to %d
              --instances=2            instances of the application, 1 to %d
              --variants=v1,v2,v3,v4   v1 no lock, v2 synchronized, v3 distributed lock, v4 Redlock
              --backend=redis          what keeps the locks of v3: redis, redlock, jdbc (H2, as a server),
                                       zookeeper, or etcd (the one on the PATH); the data stay in Redis
              --topology=standalone    of Redis, for the locks of v3: standalone, sentinel or cluster
              --chaos                  kill the holder of the lock, stop the next one for 3 s, and restart
                                       the servers of the locks in mid-run; prints who had the lock, and when
              --help                   this text

            Exit status: 0 when v3 and v4 are exact, 1 when not, when something does not start, or when
            chaos found nothing to hit in them, 2 when an option is wrong.
            """.formatted(RunPlan.MOST_REQUESTS, StagePlan.MOST_INSTANCES);

    private static final int REQUESTS = 666;
    private static final int INSTANCES = 2;

    /** What is asked for when nothing is said. */
    static final ExperimentOptions DEFAULTS = new ExperimentOptions(
            REQUESTS, new StagePlan(INSTANCES, Topology.STANDALONE), List.of(Variant.values()), false);

    /**
     * Reads the options.
     *
     * @throws UsageException when one is unknown, or out of range
     */
    static ExperimentOptions parse(List<String> arguments) {
        ExperimentOptions options = DEFAULTS;
        for (String argument : arguments) {
            options = options.with(argument);
        }
        StagePlan stage = options.stage;
        if (stage.backend() != Backend.REDIS && stage.topology() != Topology.STANDALONE) {
            throw new UsageException("--topology=" + stage.topology().id() + " is one of Redis, and --backend="
                    + stage.backend().id() + " keeps the locks elsewhere. Leave one of them out");
        }
        return options;
    }

    private ExperimentOptions with(String argument) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        String value = equals < 0 ? "" : argument.substring(equals + 1);
        return switch (name) {
            case "--requests" ->
                new ExperimentOptions(number(name, value, RunPlan.MOST_REQUESTS), stage, variants, chaos);
            case "--instances" ->
                withStage(new StagePlan(
                        number(name, value, StagePlan.MOST_INSTANCES), stage.backend(), stage.topology()));
            case "--backend" -> withStage(new StagePlan(stage.instances(), backend(value), stage.topology()));
            case "--topology" -> withStage(new StagePlan(stage.instances(), stage.backend(), topology(value)));
            case "--variants" -> new ExperimentOptions(requests, stage, variants(value), chaos);
            case "--chaos" -> new ExperimentOptions(requests, stage, variants, flag(name, equals < 0, value));
            default ->
                throw new UsageException(
                        "Unknown option '" + argument
                                + "'. Known are --requests, --instances, --variants, --backend, --topology, --chaos and --help");
        };
    }

    private ExperimentOptions withStage(StagePlan changed) {
        return new ExperimentOptions(requests, changed, variants, chaos);
    }

    private static int number(String name, String value, int most) {
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(name + "='" + value + "' is no number from 1 to " + most + ". Write for instance "
                + name + "=" + Math.min(most, 3));
    }

    private static boolean flag(String name, boolean bare, String value) {
        if (bare || value.equals("true") || value.equals("false")) {
            return bare || value.equals("true");
        }
        throw new UsageException(
                name + "='" + value + "' is neither true nor false. Write " + name + ", or leave it out");
    }

    private static Topology topology(String value) {
        return Topology.of(value)
                .orElseThrow(() -> new UsageException("--topology='" + value + "' is unknown. Choose one of "
                        + Arrays.stream(Topology.values()).map(Topology::id).collect(Collectors.joining(", "))));
    }

    private static Backend backend(String value) {
        return Backend.of(value)
                .orElseThrow(() -> new UsageException("--backend='" + value + "' is unknown. Choose one of "
                        + Arrays.stream(Backend.values()).map(Backend::id).collect(Collectors.joining(", "))));
    }

    private static List<Variant> variants(String value) {
        return Stream.of(value.split(","))
                .map(String::strip)
                .map(id -> Variant.of(id)
                        .orElseThrow(() -> new UsageException("--variants has '" + id
                                + "', which is unknown. Choose from v0,v1,v2,v3,v4, with commas and without blanks")))
                .distinct()
                .toList();
    }
}
