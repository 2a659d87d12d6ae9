package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** I9: no renewal of a lock token is sent after its release. */
public final class RenewalOrderCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        Map<String, Long> freed = new HashMap<>();
        history.of(EventKind.FREEING).forEach(event -> freed.putIfAbsent(lockToken(event), event.at()));
        return history.of(EventKind.RENEWING).stream()
                .flatMap(event -> late(event, freed.getOrDefault(lockToken(event), Long.MAX_VALUE)).stream())
                .toList();
    }

    private static Optional<Violation> late(LabEvent renewal, long freedAt) {
        return renewal.at() <= freedAt
                ? Optional.empty()
                : Optional.of(Violation.of(
                        "I9",
                        renewal.key(),
                        renewal.at(),
                        renewal.worker() + " renewed " + (renewal.at() - freedAt) / 1_000
                                + " µs after it had begun to release"));
    }

    private static String lockToken(LabEvent event) {
        return event.worker() + '/' + event.key() + '#' + event.amount();
    }
}
