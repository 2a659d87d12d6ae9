package io.github.lockstarter.demo.experiment.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.demo.experiment.page.ExperimentPage.Drawn;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Operates the page of the packaged application in a real browser, and reads the visible content. The deployment
 * (instances, their proxy, Redis servers) is set up once, by the first run. Without Chromium the class is reported as
 * skipped; with {@code -Dbrowser.required=true} it fails instead, and takes more images. The detection of overlaps in
 * v1 and v2 finds none in v3 and v4: each is the control of the other.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("full")
class ExperimentPageIT extends DemoPage {

    /** A is inside from 0 to 20 with one fencing token, B from 10 to 30 with another one. */
    private static final String EVENTS = """
            [{"type": "run-started", "run": 1, "variant": "v3", "requests": 2, "instances": ["A", "B"]},
             {"type": "held", "instance": "A", "id": "A", "from": 0, "fence": %s},
             {"type": "held", "instance": "B", "id": "B", "from": 10, "fence": %s},
             {"type": "released", "instance": "A", "id": "A", "to": 20, "outcome": "written"},
             {"type": "released", "instance": "B", "id": "B", "to": 30, "outcome": "written"}]
            """;

    private static final int REQUESTS = Integer.getInteger("browser.requests", 300);
    private static final int INSTANCES = Integer.getInteger("browser.instances", 2);

    private static ExperimentPage page;

    @BeforeAll
    static void open() {
        page = new ExperimentPage(chromium.driver());
        page.open(app.port());
        page.plan(INSTANCES, "standalone");
    }

    /** The model behind the page, on events with a known result; the visible content is tested below. */
    @Order(0)
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    no locks: both in red            | null | null | 2 | 2 | 0 | 0 | A race 10-20, B race 10-20
                    a grant before the end: amber    | 7    | 8    | 2 | 0 | 1 | 1 | A stale 10-20
                    the newer one came first: amber  | 8    | 7    | 2 | 0 | 1 | 1 | B stale 10-30
                    one token for two: both in red   | 7    | 7    | 2 | 2 | 0 | 1 | A race 10-20, B race 10-20
                    """)
    void countsOverlaps(
            String what, String a, String b, long deepest, long races, long stale, long takenOver, String pieces) {
        Map<?, ?> seen = page.seenIn(EVENTS.formatted(a, b));

        assertThat(seen)
                .as(what)
                .isEqualTo(Map.of(
                        "deepest", deepest,
                        "races", races,
                        "stale", stale,
                        "takenOver", takenOver,
                        "pieces", List.of(pieces.split(", ", -1))));
    }

    /** Instances report events with delays; the owner after a kill is detected by two of them. */
    @Test
    @Order(0)
    void listsEachEventOnceInTheOrderOfTime() {
        List<?> log = page.logOf("""
                [{"type": "run-started", "run": 1, "variant": "v3", "requests": 2, "instances": ["A", "B"]},
                 {"type": "held", "instance": "A", "id": "A", "from": 0, "fence": 7},
                 {"type": "interference", "kind": "kill-holder", "instance": "A", "at": 5, "text": "A was killed"},
                 {"type": "held", "instance": "B", "id": "B", "from": 1500, "fence": 8, "path": "taken_over"},
                 {"type": "interference", "kind": "next-owner", "instance": "B", "at": 1501, "text": "B took the lock over 1.5 s after A was killed"},
                 {"type": "lost", "instance": "B", "at": 900, "id": "B", "fence": 6}]
                """);

        assertThat(log.stream().map(Object::toString))
                .containsExactly(
                        "0 Run 1 of v3 (distributed lock) started: 2 requests at once.",
                        "5 A was killed.",
                        "900 B detected that it had lost the lock.",
                        "1500 B took the lock over 1.5 s after A was killed: fencing token …8 after …7.");
    }

    /** Nothing is set up yet: the first run does it. */
    @Test
    @Order(1)
    void showsThatUpdatesAreLostWithoutALock() {
        page.watchTheStage();
        page.run("v1", REQUESTS);

        assertThat(page.shownOfTheStage()).contains("Redis of the data at", "Instance A (pid", "Reverse proxy at ");
        seesLostUpdates();
        assertThat(page.number("at-once")).isGreaterThan(3);
        photograph("v1-no-lock");
    }

    @Test
    @Order(2)
    void showsThatSynchronizedExcludesWithinAnInstanceOnly() {
        page.run("v2", REQUESTS);

        seesLostUpdates();
        assertThat(page.number("at-once")).isBetween(2L, (long) INSTANCES);
        page.press("[data-zoom=closest]");
        assertThat(page.drawn("race").shared())
                .as("columns with red in two lanes")
                .isPositive();
        photograph("v2-synchronized");
    }

    @Test
    @Order(3)
    void showsThatTheDistributedLockCountsExactly() {
        page.run("v3", REQUESTS);

        seesAnExactCount();
        assertThat(page.number("handed-over")).isPositive();
        assertThat(page.text("fence")).isNotEqualTo("–");
        page.press("[data-zoom=closest]");
        photograph("v3-distributed-lock");
        page.press("[data-zoom=fit]");
    }

    @Test
    @Order(5)
    void showsThatTheLateWriteOfAPausedHolderIsRefused() {
        page.disturb("pause-holder");
        page.run("v3", REQUESTS);

        assertThat(page.newestRow()).containsEntry("Lost", "✔ exact");
        assertThat(page.newestRow().get("Faults")).contains("was paused in the critical section");
        assertThat(page.number("refused")).isPositive();
        assertThat(page.number("taken-over")).isPositive();
        assertThat(page.log())
                .anySatisfy(line -> assertThat(line).contains("The store rejected the late write"))
                .anySatisfy(line -> assertThat(line).contains("had the lock"));
        assertThat(page.drawn("stale").pixels())
                .as("amber: believes it still holds")
                .isPositive();
        photograph("pause-longer-than-the-lease");
        if (isRequired()) {
            photographThePage();
        }
        page.disturb("");
    }

    @Test
    @Order(6)
    void showsTheLossAfterTheKeyIsDeleted() {
        page.disturb("delete-key");
        page.run("v3", REQUESTS);

        assertThat(page.newestRow()).containsEntry("Lost", "✔ exact");
        assertThat(page.number("losses")).isPositive();
        assertThat(page.log()).anySatisfy(line -> assertThat(line).contains("detected that it had lost the lock"));
        photograph("delete-key");
        page.disturb("");
    }

    @Test
    @Order(6)
    void showsThatRedlockHoldsWhenAClockIsMoved() {
        assertThat(page.isPossible("move-clock")).as("while nothing runs").isFalse();
        assumeThat(RedisServer.canSetClock()).as("Linux on x86-64").isTrue();
        page.runAndPress("v4", REQUESTS, "move-clock");

        assertThat(page.newestRow()).containsEntry("Lost", "✔ exact");
        assertThat(page.newestRow().get("Faults"))
                .contains("The clock of Redis")
                .contains("s ahead");
        assertThat(page.number("overlapped")).isZero();
        photograph("move-clock");
    }

    @Test
    @Order(11)
    void stopsEverything() {
        long before = app.descendants();

        page.takeDown();

        assertThat(before).isGreaterThan(5);
        await().atMost(Patience.TIME).until(() -> app.descendants() < before - 5);
    }

    @Test
    @Order(12)
    void saysWhyTheExperimentIsUnavailable() {
        page.openAsAStranger(app.port());

        assertThat(page.text("status")).isEqualTo("The experiment is not offered here.");
        assertThat(page.text("deployment"))
                .contains("http://localhost:" + app.port())
                .contains("java -jar lock-demo.jar");
    }

    private static void seesLostUpdates() {
        long expected = page.number("expected");
        long actual = page.number("actual");
        assertThat(expected).isEqualTo(REQUESTS);
        assertThat(actual).isLessThan(expected);
        assertThat(page.text("lost")).isEqualTo("✘ " + (expected - actual));
        assertThat(page.newestRow())
                .containsEntry("Counter", Long.toString(actual))
                .containsEntry("Lost", "✘ " + (expected - actual) + " lost");
        assertThat(page.number("overlapped")).isPositive();
        assertThat(page.drawn("race").pixels()).as("red in the lanes").isPositive();
        assertThat(page.text("status")).contains("updates lost");
    }

    private static void seesAnExactCount() {
        assertThat(page.number("expected")).isEqualTo(REQUESTS);
        assertThat(page.number("actual")).isEqualTo(REQUESTS);
        assertThat(page.text("lost")).isEqualTo("✔ 0");
        Map<String, String> row = page.newestRow();
        assertThat(row).containsEntry("Counter", Integer.toString(REQUESTS)).containsEntry("Lost", "✔ exact");
        assertThat(page.number("at-once")).isEqualTo(1);
        assertThat(page.drawn("held").pixels()).as("bars").isPositive();
        assertThat(page.number("overlapped")).isZero();
        assertThat(page.drawn("stale").pixels()).as("amber").isZero();
        page.press("[data-zoom=closest]");
        await().atMost(Patience.TIME).until(() -> page.drawn("held").pixels() > 1000);
        Drawn close = page.drawn("held");
        assertThat(close.shared()).as("columns with bars in two lanes").isZero();
        page.press("[data-zoom=fit]");
    }

    private static void photograph(String name) {
        chromium.photograph(name, "[aria-labelledby=figures-title]", "#timeline");
    }

    /** The whole page in the dark, and as it is on a phone. */
    private static void photographThePage() {
        chromium.prefer("dark");
        chromium.photograph("page-dark", "body", "body");
        chromium.prefer("light");
        chromium.resize(360, 2000);
        chromium.photograph("page-phone", "[aria-labelledby=figures-title]", "[aria-labelledby=log-title]");
        assertThat(page.isWiderThanTheWindow()).isFalse();
        chromium.resize(1280, 2000);
    }
}
