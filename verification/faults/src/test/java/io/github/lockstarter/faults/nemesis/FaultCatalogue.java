package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.Topology;
import java.util.List;
import java.util.stream.Stream;

/** All faults of the lab. */
public final class FaultCatalogue {

    private FaultCatalogue() {}

    /** All faults, always in the same order. */
    public static List<Fault> all() {
        return Stream.of(
                        WorkerFaults.all(),
                        LinkFaults.all(),
                        MailboxFaults.all(),
                        ServerFaults.all(),
                        RedisFaults.all(),
                        RefusalFaults.all(),
                        FailoverFaults.all(),
                        ReplacementFaults.all(),
                        QuorumFaults.all(),
                        ClockFaults.all(),
                        StoreFaults.all())
                .flatMap(List::stream)
                .toList();
    }

    /** The faults under which the topology keeps its promises, always in the same order. */
    public static List<Fault> suitedTo(Topology topology) {
        return all().stream().filter(fault -> fault.appliesTo(topology)).toList();
    }

    /** The faults with these names, always in the same order. */
    public static List<Fault> named(String... names) {
        List<String> wanted = List.of(names);
        return all().stream().filter(fault -> wanted.contains(fault.name())).toList();
    }
}
