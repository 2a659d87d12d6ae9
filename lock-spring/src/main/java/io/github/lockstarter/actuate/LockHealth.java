package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Coverage;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * {@code DOWN}: the store does not answer. {@code RECOVERING}: it may have lost locks and grants no free ones for a
 * while; Boot answers with 200 and ignores it in the aggregate, since {@code OUT_OF_SERVICE} would take all instances
 * out of service.
 */
record LockHealth(String status, Map<String, Object> details) {

    public static final String RECOVERING = "RECOVERING";

    /** From best to worst. */
    private static final List<String> STATUSES = List.of("UP", RECOVERING, "DOWN");

    /**
     * Waits at most 5 s for each store. The status is the worst of all.
     *
     * @param furtherLocks by {@code LockOperations} bean name
     */
    public static LockHealth of(LockAdmin locks, Map<String, LockAdmin> furtherLocks) {
        LockHealth first = of(locks);
        String worst = first.status;
        for (Map.Entry<String, LockAdmin> further : furtherLocks.entrySet()) {
            LockHealth health = of(further.getValue());
            health.details.put("status", health.status);
            first.details.put(further.getKey(), health.details);
            worst = STATUSES.indexOf(health.status) > STATUSES.indexOf(worst) ? health.status : worst;
        }
        return new LockHealth(worst, first.details);
    }

    static LockHealth of(LockAdmin locks) {
        StoreState state = StoreTimeout.await(locks.storeState(), LockHealth::unanswered);
        return new LockHealth(status(state), details(state));
    }

    private static String status(StoreState state) {
        if (state.failure().isPresent()) {
            return "DOWN";
        }
        return state.recovering().isZero() ? "UP" : RECOVERING;
    }

    private static StoreState unanswered(String reason) {
        return new StoreState("lock store", Optional.of(reason));
    }

    private static Map<String, Object> details(StoreState state) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", state.target());
        state.failure().ifPresent(failure -> details.put("failure", failure));
        if (!state.recovering().isZero()) {
            details.put("recoveringUntil", Instant.now().plus(state.recovering()));
            details.put("recoveringForMs", state.recovering().toMillis());
        }
        if (state.guard() != StoreState.Guard.UNNEEDED) {
            details.put("guard", state.guard().name().toLowerCase(Locale.ROOT));
        }
        details.put("hearsSignals", state.hearsSignals());
        CrashTakeover takeover = state.crashTakeover();
        if (takeover.state() != CrashTakeover.State.UNNEEDED) {
            details.put("crashTakeover", takeover.state().name().toLowerCase(Locale.ROOT));
        }
        if (!takeover.reason().isEmpty()) {
            details.put("crashTakeoverReason", takeover.reason());
        }
        if (!state.warnings().isEmpty()) {
            details.put("warnings", state.warnings());
        }
        if (!state.nodes().isEmpty()) {
            details.put("nodes", nodes(state.nodes()));
        }
        return details;
    }

    private static Map<String, Object> nodes(List<StoreState> nodes) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (StoreState node : nodes) {
            details.put(node.target(), node.coverage() == Coverage.ALL ? vote(node) : part(node));
        }
        return details;
    }

    /** Only whether the server answers: its other details describe all servers. */
    private static Object part(StoreState node) {
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("answers", node.failure().isEmpty());
        node.failure().ifPresent(failure -> part.put("failure", failure));
        return part;
    }

    private static Object vote(StoreState node) {
        Map<String, Object> vote = details(node);
        vote.remove("store");
        boolean votes = node.failure().isEmpty() && node.recovering().compareTo(Duration.ZERO) == 0;
        vote.put("votes", votes);
        return vote;
    }
}
