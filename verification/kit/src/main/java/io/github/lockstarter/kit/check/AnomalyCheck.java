package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import java.util.List;

/**
 * Violations that workers detect themselves: a nested hold with another fencing token (I2), a caller that never
 * returns (I5), a loss that is undone (I6), leftovers at the end (I8).
 */
public final class AnomalyCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        return history.of(EventKind.ANOMALY).stream()
                .map(event -> {
                    int space = event.note().indexOf(' ');
                    return Violation.of(
                            event.note().substring(0, space),
                            event.key(),
                            event.at(),
                            event.worker() + ": " + event.note().substring(space + 1));
                })
                .toList();
    }
}
