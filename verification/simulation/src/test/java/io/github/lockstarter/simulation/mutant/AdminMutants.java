package io.github.lockstarter.simulation.mutant;

import java.util.List;

/** Rules about operators that take locks away. */
final class AdminMutants {

    private AdminMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named(
                                "revoke-any",
                                "A lock is taken away only with the fencing token that the operator saw",
                                "I1",
                                "I4")
                        .changing("redis.AdminScripts", "isStale", Behaviour.returning(false)),
                Mutant.named(
                                "revocation-unheard",
                                "A holder that receives the revocation has lost the lock",
                                "I1",
                                "I6")
                        .changing("engine.Running", "revoked", Behaviour.nothing()));
    }
}
