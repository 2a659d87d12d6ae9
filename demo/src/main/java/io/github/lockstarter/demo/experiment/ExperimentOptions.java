package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.demo.experiment.stage.Backend;
import io.github.lockstarter.demo.experiment.stage.StagePlan;
import io.github.lockstarter.demo.experiment.stage.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the command line asks for.
 *
 * @param requests requests at once in each variant
 * @param instances instances of the application
 * @param backend what keeps the locks of v3
 * @param topologies of Redis, where that keeps them; one after the other
 * @param variants what to run, in this order
 * @param repetitions how often each variant is run
 * @param chaos whether instances are killed and stopped, and Redis restarted, in mid-run
 */
record ExperimentOptions(
        int requests,
        int instances,
        Backend backend,
        List<Topology> topologies,
        List<Variant> variants,
        int repetitions,
        boolean chaos) {

    private static final int REQUESTS = 666;
    private static final int INSTANCES = 2;
    private static final int MOST_REPETITIONS = 20;

    static final String HELP = """
            Usage: java -jar lock-demo.jar experiment [options]

            Counts page views in five ways, with real instances, Redis servers and a reverse proxy, and
            prints what became of the counter.

              --requests=666           requests at once in each variant, 1 to %d
              --instances=2            instances of the application, 1 to %d
              --variants=v0,v1,v2,v3,v4
                                       v0 INCR, v1 no lock, v2 synchronized, v3 distributed lock, v4 Redlock
              --backend=redis          what keeps the locks of v3: redis, redlock, jdbc (H2, as a server),
                                       zookeeper, or etcd (the one on the PATH); the data stay in Redis
              --topology=standalone    of Redis, for the locks of v3: standalone, master-replica, sentinel,
                                       cluster; several with commas, or all: then v3 is run over each of
                                       them, and the other variants over the first
              --repetitions=1          runs of each variant, 1 to %d, in turns; the table then has medians
              --chaos                  kill the holder of the lock, stop the next one for 3 s, and restart
                                       the servers of the locks in mid-run; prints who had the lock, and when
              --help                   this text

            Exit status: 0 when v0, v3 and v4 are exact, 1 when not, when something does not start, or when
            chaos found nothing to hit in v3 or v4, 2 when an option is wrong.
            """.formatted(RunPlan.MOST_REQUESTS, StagePlan.MOST_INSTANCES, MOST_REPETITIONS);

    private static final String ALL = "all";

    /** What is asked for when nothing is said. */
    static final ExperimentOptions DEFAULTS = new ExperimentOptions(
            REQUESTS, INSTANCES, Backend.REDIS, List.of(Topology.STANDALONE), List.of(Variant.values()), 1, false);

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
        if (options.backend != Backend.REDIS && !options.topologies.equals(DEFAULTS.topologies)) {
            String topologies = options.topologies.stream().map(Topology::id).collect(Collectors.joining(","));
            throw new UsageException("--topology=" + topologies + " is one of Redis, and --backend="
                    + options.backend.id() + " keeps the locks elsewhere. Leave one of them out");
        }
        return options;
    }

    /** What is to be set up, one after the other. Only v3 has locks that a second topology would move. */
    List<StagePlan> stages() {
        long wanted = variants.contains(Variant.V3) ? topologies.size() : 1;
        return topologies.stream()
                .limit(wanted)
                .map(topology -> new StagePlan(instances, backend, topology))
                .toList();
    }

    /** What is run there: all on the first stage, v3 on each. */
    List<Variant> variantsOn(StagePlan stage) {
        return stage.topology() == topologies.get(0) ? variants : List.of(Variant.V3);
    }

    private ExperimentOptions with(String argument) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        String value = equals < 0 ? "" : argument.substring(equals + 1);
        return switch (name) {
            case "--requests" ->
                new ExperimentOptions(
                        number(name, value, RunPlan.MOST_REQUESTS),
                        instances,
                        backend,
                        topologies,
                        variants,
                        repetitions,
                        chaos);
            case "--instances" ->
                new ExperimentOptions(
                        requests,
                        number(name, value, StagePlan.MOST_INSTANCES),
                        backend,
                        topologies,
                        variants,
                        repetitions,
                        chaos);
            case "--backend" ->
                new ExperimentOptions(requests, instances, backend(value), topologies, variants, repetitions, chaos);
            case "--topology" ->
                new ExperimentOptions(requests, instances, backend, topologies(value), variants, repetitions, chaos);
            case "--variants" ->
                new ExperimentOptions(requests, instances, backend, topologies, variants(value), repetitions, chaos);
            case "--repetitions" ->
                new ExperimentOptions(
                        requests,
                        instances,
                        backend,
                        topologies,
                        variants,
                        number(name, value, MOST_REPETITIONS),
                        chaos);
            case "--chaos" ->
                new ExperimentOptions(
                        requests, instances, backend, topologies, variants, repetitions, flag(name, equals < 0, value));
            default ->
                throw new UsageException("Unknown option '" + argument
                        + "'. Known are --requests, --instances, --variants, --backend, --topology, --repetitions,"
                        + " --chaos and --help");
        };
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

    private static List<Topology> topologies(String value) {
        if (value.equals(ALL)) {
            return List.of(Topology.values());
        }
        return each(value)
                .map(id -> Topology.of(id)
                        .orElseThrow(() -> new UsageException("--topology has '" + id
                                + "', which is unknown. Choose from " + Topology.ids() + ", with commas, or " + ALL)))
                .distinct()
                .toList();
    }

    private static Backend backend(String value) {
        return Backend.of(value)
                .orElseThrow(() -> new UsageException("--backend='" + value + "' is unknown. Choose one of "
                        + Arrays.stream(Backend.values()).map(Backend::id).collect(Collectors.joining(", "))));
    }

    private static List<Variant> variants(String value) {
        return each(value)
                .map(id -> Variant.of(id)
                        .orElseThrow(() -> new UsageException("--variants has '" + id
                                + "', which is unknown. Choose from v0,v1,v2,v3,v4, with commas and without blanks")))
                .distinct()
                .toList();
    }

    private static Stream<String> each(String value) {
        return Stream.of(value.split(",", -1)).map(String::strip);
    }
}
