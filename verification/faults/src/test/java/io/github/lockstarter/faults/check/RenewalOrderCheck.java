package io.github.lockstarter.faults.check;

import io.github.lockstarter.faults.event.EventKind;
import io.github.lockstarter.faults.event.LabEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** I9: no renewal of a lock token is sent after its release was. */
public final class RenewalOrderCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        Map<String, Long> freed = new HashMap<>();
        history.of(EventKind.FREEING).forEach(event -> freed.putIfAbsent(lockToken(event), event.at()));
        return history.of(EventKind.RENEWING).stream()
                .filter(event -> event.at() > freed.getOrDefault(lockToken(event), Long.MAX_VALUE))
                .map(event -> Violation.of(
                        "I9",
                        event.key(),
                        event.at(),
                        event.worker() + " renewed " + (event.at() - freed.get(lockToken(event))) / 1_000
                                + " µs after it had begun to release"))
                .toList();
    }

    private static String lockToken(LabEvent event) {
        return event.worker() + '/' + event.key() + '#' + event.amount();
    }
}
