package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.WaitingCaller;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.actuate.LocksReport.HeldLockReport;
import io.github.lockstarter.actuate.LocksReport.WaiterReport;
import java.time.Instant;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.regex.Pattern;
import org.springframework.boot.SpringBootVersion;
import org.springframework.core.SpringVersion;

/** Writes {@code /actuator/locks/diagnosis}, text for an issue, without logins. Keeps the last outages. Thread-safe. */
final class LockDiagnosis implements LockListener {

    /** Of outages, holds and waits. */
    private static final int MOST = 10;

    /** Drivers and servers name the user in their errors. */
    private static final Pattern LOGIN = Pattern.compile("(?<=//)\\S*(?=@)|(?<=[?&;](?:user|password)=)[^&;\\s]*"
            + "|(?<=\\b(?:[Uu]ser|[Rr]ole) )"
            + "(?:'[^']*'(?:@'[^']*')?|\"[^\"]*\"|\\S+(?= (?:has no permissions|already has)))");

    private final String settings;
    private final Deque<String> outages = new ConcurrentLinkedDeque<>();

    /** @param settings as the report shows them */
    LockDiagnosis(String settings) {
        this.settings = settings;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {}

    @Override
    public void onStoreEvent(StoreEvent event) {
        outages.add(Instant.now() + " " + event);
        if (outages.size() > MOST) {
            outages.poll();
        }
    }

    /**
     * Waits at most 5 s for each store.
     *
     * @param locks by name
     */
    String text(Map<String, LockAdmin> locks, boolean showsKeys) {
        StringBuilder text = new StringBuilder();
        add(text, "lock-starter", LockAdmin.class.getPackage().getImplementationVersion());
        add(text, "spring", "Boot " + SpringBootVersion.getVersion() + ", Framework " + SpringVersion.getVersion());
        add(
                text,
                "java",
                Runtime.version() + ", " + System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ' '
                        + System.getProperty("os.arch"));
        add(text, "settings", settings);
        locks.forEach((name, admin) -> {
            add(text, "locks", name + ", instance " + admin.instance() + ", " + Instant.now());
            describeStore(admin, text);
            describe(admin.heldLocks().snapshot(), admin.waiters(), showsKeys, text);
        });
        add(text, "outages", outages.isEmpty() ? "none since the start" : "the last " + outages.size() + ':');
        outages.forEach(outage -> add(text, "", outage));
        return text.toString();
    }

    /** The store answers both questions at a time. */
    private static void describeStore(LockAdmin locks, StringBuilder text) {
        CompletableFuture<Map<String, String>> asked = locks.storeDiagnosis();
        LockHealth health = LockHealth.of(locks);
        add(text, "health", health.status());
        health.details().forEach((name, detail) -> add(text, name, detail));
        Map<String, String> facts = StoreTimeout.await(asked, reason -> Map.of("server", reason));
        facts.forEach((name, fact) -> add(text, name, fact));
        if (facts.isEmpty()) {
            add(text, "server", "version, clock and rights: this store reports none");
        }
    }

    private static void describe(
            List<HeldLock> held, List<WaitingCaller> waiting, boolean showsKeys, StringBuilder text) {
        long inDoubt =
                held.stream().filter(lock -> lock.state() == HoldState.IN_DOUBT).count();
        add(text, "held", held.size() + ", in doubt " + inDoubt + "; the longest:");
        held.stream()
                .sorted(Comparator.comparing(HeldLock::heldFor).reversed())
                .limit(MOST)
                .forEach(lock -> add(text, "", HeldLockReport.of(lock, showsKeys)));
        add(text, "waiting", waiting.size() + "; the longest:");
        waiting.stream()
                .sorted(Comparator.comparing(WaitingCaller::waitedFor).reversed())
                .limit(MOST)
                .forEach(caller -> add(text, "", WaiterReport.of(caller, Instant.now(), showsKeys)));
    }

    private static void add(StringBuilder text, String label, Object value) {
        String line = LockRequest.printable(String.format(Locale.ROOT, "%-20s%s", label, value));
        text.append(LOGIN.matcher(line).replaceAll("****")).append('\n');
    }
}
