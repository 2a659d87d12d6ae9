package io.github.lockstarter.demo.experiment.page;

import static io.github.lockstarter.demo.experiment.page.GalleryPage.broken;
import static io.github.lockstarter.demo.experiment.page.GalleryPage.ours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Plays the gallery of broken locks on the page of the packaged application, in a real browser, and reads texts and
 * drawings. Red drawings on the side of the broken lock are absent on the other side: each is the control of the other.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("full")
class GalleryPageIT extends DemoPage {

    /** Its broken side has two owners at once, and is played in a few seconds. */
    private static final String QUICK = "fixed-value";

    /** Needs no lock. */
    private static final String CONTROL = "incr";

    private static GalleryPage page;

    @BeforeAll
    static void open() {
        chromium.resize(1280, 1600);
        page = new GalleryPage(chromium.driver());
        page.open(app.port());
    }

    @Test
    @Order(1)
    void listsTheExhibitsBeforeTheFirstRun() {
        assertThat(page.exhibits()).hasSizeGreaterThanOrEqualTo(9).doesNotHaveDuplicates();
        for (String exhibit : page.exhibits()) {
            assertThat(page.plate(exhibit)).hasSize(4).doesNotContain("").contains("Play");
            assertThat(page.line(exhibit)).endsWith("–", "–");
            assertThat(page.marks("#exhibit-" + exhibit)).isZero();
        }
        assertThat(page.status()).startsWith(page.exhibits().size() + " exhibits.");
    }

    /** The reckoning behind the drawing, on steps with a known answer: caller:kind, in their order. */
    @Order(2)
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    A:granted A:write A:release B:granted B:release     | A 0-2, B 3-4
                    A:granted B:granted B:write A:write A:release       | A 0-4, B 1-5, A race 1-4, B race 1-4
                    A:granted B:granted A:write-refused B:write         | A 0-2, B 1-4, A stale 1-2
                    A:granted B:granted A:write A:lost B:write          | A 0-3, B 1-5, A race 1-3, B race 1-3
                    A:granted A:stopped B:granted A:goes-on A:lost      | A 0-4, B 2-5, A stale 2-4, A stopped 1-3
                    A:granted A:write B:granted A:goes-on A:release C:granted B:write C:write | A 0-4, B 2-8, C 5-8, A stale 2-4, B race 5-8, C race 5-8
                    A:granted B:granted B:write B:release A:write       | A 0-5, B 1-3, A race 1-5, B race 1-3
                    A:granted A:write B:granted A:release B:write       | A 0-2, B 2-5
                    A:acquire A:killed B:refused                        | A left 1-3
                    A:granted A:killed B:refused B:granted              | A 0-1, B 3-4, A left 1-3
                    A:granted A:killed B:refused                        | A 0-1, A left 1-3
                    """)
    void drawsTheHoldersOfTheLock(String steps, String drawn) {
        String json = Arrays.stream(steps.split(" "))
                .map(step -> step.split(":"))
                .map(step -> "{\"at\":0,\"caller\":\"%s\",\"kind\":\"%s\",\"text\":\"\"}".formatted(step[0], step[1]))
                .collect(Collectors.joining(",", "[", "]"));

        assertThat(page.drawnOf(json)).isEqualTo(drawn);
    }

    @Test
    @Order(3)
    void runsAnExhibitWithTheEnteredSeed() {
        page.seed(7);
        page.play(QUICK);

        assertThat(page.problem()).isEmpty();
        Map<String, String> broken = page.figures(broken(QUICK));
        assertThat(Integer.parseInt(broken.get("Lost"))).isPositive();
        assertThat(Integer.parseInt(broken.get("Owners at once"))).isGreaterThan(1);
        assertThat(page.sharesRed(broken(QUICK))).as("red in two lanes at once").isTrue();
        assertThat(chromium.pixels(broken(QUICK) + " svg", "race")).isGreaterThan(100);
        Map<String, String> ours = page.figures(ours(QUICK));
        assertThat(ours).containsEntry("Lost", "0").containsEntry("Blocked", "no");
        assertThat(ours.get("Counter")).isEqualTo(ours.get("Updates"));
        assertThat(page.sharesRed(ours(QUICK))).isFalse();
        assertThat(page.line(QUICK).get(1)).isEqualTo("✘ " + broken.get("Lost") + " lost");
        assertThat(page.line(QUICK).get(2)).startsWith("✔ 0 lost");
        assertThat(page.status()).contains("✘ " + broken.get("Lost") + " lost", "✔ 0 lost");
        assertThat(chromium.driver().getPageSource()).contains("Seed 7.");
    }

    @Test
    @Order(4)
    void listsEveryDrawnStep() {
        for (String side : new String[] {broken(QUICK), ours(QUICK)}) {
            assertThat(page.steps(side)).hasSizeGreaterThan(5).hasSize(page.marks(side));
            page.toggleSteps(side);
            assertThat(page.steps(side)).as("folded away").containsOnly("");
            page.toggleSteps(side);
            assertThat(page.steps(side)).doesNotContain("");
        }
    }

    @Test
    @Order(5)
    void stopsTheExhibitAndLeavesNothingRunning() {
        long before = app.descendants();
        page.begin(QUICK);
        assertThat(page.isPossible(QUICK)).isFalse();
        assertThat(page.status()).startsWith("Playing “");

        page.stop();

        await().atMost(Patience.TIME).until(() -> app.descendants() <= before);
        assertThat(page.isPossible(QUICK)).isTrue();
    }

    @Test
    @Order(6)
    @EnabledIf(value = "isRequired", disabledReason = "only with -Pbrowser, for time")
    void playsThemAll() {
        page.seed(2026);
        page.playAll();

        assertThat(page.problem()).isEmpty();
        for (String exhibit : page.exhibits()) {
            assertThat(page.line(exhibit).get(1)).as(exhibit).startsWith(exhibit.equals(CONTROL) ? "✔" : "✘");
            assertThat(page.line(exhibit).get(2)).as(exhibit).startsWith("✔ 0 lost");
            assertThat(page.sharesRed(ours(exhibit))).as(exhibit).isFalse();
        }
        chromium.photograph(
                "gallery",
                "[aria-labelledby=gallery-title]",
                "#exhibit-" + page.exhibits().get(0));
        chromium.photograph("gallery-double-failover", "#exhibit-double-failover", "#exhibit-double-failover");
        chromium.prefer("dark");
        chromium.photograph("gallery-dark", "#exhibit-" + QUICK, "#exhibit-" + QUICK);
        chromium.prefer("light");
        chromium.resize(360, 2000);
        await().atMost(Patience.TIME).until(() -> !isWiderThanTheWindow());
        chromium.photograph("gallery-phone", "#exhibit-" + QUICK, "#exhibit-" + QUICK);
        chromium.resize(1280, 1600);
    }

    private static boolean isWiderThanTheWindow() {
        return Boolean.TRUE.equals(chromium.driver()
                .executeScript("return document.documentElement.scrollWidth > document.documentElement.clientWidth"));
    }
}
