package io.github.lockstarter.simulation.mutant;

import java.util.List;

/** Rules about readers. */
final class ReaderMutants {

    private ReaderMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("readers-ignored", "A writer looks at the slots of readers", "I1")
                        .editing("acquire_read.lua", "    owners[#owners + 1] = owner\n", ""),
                Mutant.named("mark-shortened", "The mark of readers has the longest of their leases", "I1")
                        .editing(
                                "acquire_read.lua",
                                "math.max(tonumber(lease), type(left) == 'number' and left or 0)",
                                "tonumber(lease)"),
                Mutant.named("mark-deleted", "Only the last reader deletes the mark", "I1")
                        .editing("release_read.lua", "isLast = not others and type(stored)", "isLast = type(stored)"),
                Mutant.named("reader-forgotten", "No reader is granted in the grace", "I1")
                        .editing(
                                "acquire_read.lua",
                                "local isOwn, owner, ending = own",
                                "if reads then recovering = nil end\nlocal isOwn, owner, ending = own"));
    }
}
