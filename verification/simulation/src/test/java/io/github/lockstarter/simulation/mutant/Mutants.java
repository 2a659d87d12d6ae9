package io.github.lockstarter.simulation.mutant;

import java.util.List;
import java.util.stream.Stream;

/** All mutants. */
final class Mutants {

    private Mutants() {}

    static List<Mutant> all() {
        return Stream.of(
                        OwnershipMutants.all(),
                        AdminMutants.all(),
                        HistoryMutants.all(),
                        TakeoverMutants.all(),
                        WaiterMutants.all(),
                        PermitMutants.all(),
                        ReaderMutants.all())
                .flatMap(List::stream)
                .toList();
    }
}
