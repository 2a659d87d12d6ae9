package io.github.lockstarter.demo.experiment.page;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

/** The page as a user operates it: presses its buttons and reads text and drawn bars. */
final class ExperimentPage {

    private static final Duration STAGE = Duration.ofMinutes(2);
    private static final Duration RUN = Duration.ofMinutes(2);

    /**
     * Counts, on the canvas, the pixels of a colour, and the columns in which it is drawn in more than one lane. Lanes
     * begin below the axis and the strip; antialiased edges have other colours and do not count.
     */
    private static final String PIXELS = """
            const name = arguments[0];
            const probe = document.createElement('i');
            probe.style.color = getComputedStyle(document.documentElement).getPropertyValue('--' + name);
            document.body.append(probe);
            const [red, green, blue] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            probe.remove();
            const canvas = document.getElementById('canvas');
            const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const top = parseInt(getComputedStyle(document.getElementById('lane-heads')).paddingTop)
                + document.querySelector('.strip-head').offsetHeight;
            const lane = document.querySelector('.lane-head').offsetHeight;
            let pixels = 0;
            let shared = 0;
            for (let x = 0; x < width; x++) {
              const lanes = new Set();
              for (let y = top; y < height; y++) {
                const at = 4 * (y * width + x);
                if (Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 6
                    && data[at + 3] === 255) {
                  pixels++;
                  lanes.add(Math.floor((y - top) / lane));
                }
              }
              shared += lanes.size > 1 ? 1 : 0;
            }
            return [pixels, shared];
            """;

    private static final String MODEL = """
            const [events, done] = arguments;
            import('/js/model.js').then(({ newState, apply, settle }) => {
              const state = newState();
              JSON.parse(events).forEach(event => apply(state, event));
              settle(state);
              const { sweep, sections, takenOver } = state.run;
              const pieces = sections.flatMap(({ id, pieces }) => pieces.map(({ kind, from, to }) => `${id} ${kind} ${from}-${to}`));
              done({ deepest: sweep.deepest, races: sweep.races, stale: sweep.stale, takenOver, pieces });
            }, failure => done({ failure: String(failure) }));
            """;

    private static final String PRESS = """
            const button = document.querySelector(`[data-fault=${arguments[0]}]`);
            new MutationObserver((changes, observer) => {
              if (!button.disabled) {
                observer.disconnect();
                button.click();
              }
            }).observe(button, { attributeFilter: ['disabled'] });
            """;

    private static final String LOG = """
            const [events, done] = arguments;
            import('/js/model.js').then(({ newState, apply, settle }) => {
              const state = newState();
              JSON.parse(events).forEach(event => apply(state, event));
              settle(state);
              done(state.log.map(({ at, text }) => `${at} ${text}`));
            }, failure => done([String(failure)]));
            """;

    /** Keeps each text that the set-up shows, however short it is there. */
    private static final String WATCH_STAGE = """
            const deployment = document.getElementById('deployment');
            window.shownOfStage = [];
            new MutationObserver(() => window.shownOfStage.push(deployment.textContent))
                .observe(deployment, { childList: true, characterData: true, subtree: true });
            """;

    private final ChromeDriver driver;

    ExperimentPage(ChromeDriver driver) {
        this.driver = driver;
    }

    /**
     * Pixels of a colour.
     *
     * @param pixels number of pixels in the lanes
     * @param shared columns of pixels in which more than one lane has it: two instances at the same time
     */
    record Drawn(long pixels, long shared) {}

    void open(int port) {
        driver.get("http://localhost:" + port + "/");
        await().atMost(STAGE).until(() -> !text("status").startsWith("Connecting"));
    }

    /** Chooses the next set-up. */
    void plan(int instances, String topology) {
        fill("instances", instances);
        choose("topology", topology);
    }

    void takeDown() {
        find("take-down").click();
        await().atMost(STAGE).until(() -> text("status").equals("Not set up."));
    }

    /** Runs, until its row is in the table. */
    void run(String variant, int requests) {
        int before = rows().size();
        fill("requests", requests);
        find(By.cssSelector("[data-variant=" + variant + "]")).click();
        await().atMost(RUN).until(() -> rows().size() > before || !problem().isEmpty());
        if (rows().size() == before) {
            throw new AssertionError(problem());
        }
    }

    /** Runs, and presses a button that faults on the run as soon as it can be pressed. */
    void runAndPress(String variant, int requests, String fault) {
        int before = rows().size();
        fill("requests", requests);
        // In the page: a click sent from here may arrive after the run.
        driver.executeScript(PRESS, fault);
        find(By.cssSelector("[data-variant=" + variant + "]")).click();
        await().atMost(RUN).until(() -> rows().size() > before || !problem().isEmpty());
        if (rows().size() == before) {
            throw new AssertionError(problem());
        }
    }

    boolean isPossible(String fault) {
        return find(By.cssSelector("[data-fault=" + fault + "]")).isEnabled();
    }

    /** Opens it where it is refused: by another name of this machine. */
    void openAsAStranger(int port) {
        driver.get("http://stranger.localhost:" + port + "/");
        await().atMost(STAGE).until(() -> !text("status").matches("Connecting.*|The connection.*"));
    }

    /** Passes events to the model of the page, and returns its state. */
    Map<?, ?> seenIn(String events) {
        return (Map<?, ?>) Objects.requireNonNull(driver.executeAsyncScript(MODEL, events));
    }

    /** Passes events to the model of the page, and returns its log. */
    List<?> logOf(String events) {
        return (List<?>) Objects.requireNonNull(driver.executeAsyncScript(LOG, events));
    }

    void watchTheStage() {
        driver.executeScript(WATCH_STAGE);
    }

    /** Texts of the set-up since {@link #watchTheStage}. */
    String shownOfTheStage() {
        return String.valueOf(driver.executeScript("return window.shownOfStage.join('\\n')"));
    }

    void disturb(String fault) {
        choose("fault", fault);
    }

    void press(String selector) {
        find(By.cssSelector(selector)).click();
    }

    String text(String id) {
        return find(id).getText();
    }

    long number(String id) {
        return Long.parseLong(text(id).replaceAll("[^0-9]", ""));
    }

    String problem() {
        return text("problem");
    }

    /** The newest row of the table, by the heads of its columns. */
    Map<String, String> newestRow() {
        return rows().get(0).findElements(By.cssSelector("th, td")).stream()
                .collect(Collectors.toMap(
                        cell -> Objects.requireNonNull(cell.getDomAttribute("data-label")), WebElement::getText));
    }

    List<String> log() {
        return driver.findElements(By.cssSelector("#log li span")).stream()
                .map(WebElement::getText)
                .toList();
    }

    Drawn drawn(String colour) {
        List<?> answer = (List<?>) Objects.requireNonNull(driver.executeScript(PIXELS, colour));
        return new Drawn(((Number) answer.get(0)).longValue(), ((Number) answer.get(1)).longValue());
    }

    boolean isWiderThanTheWindow() {
        return Boolean.TRUE.equals(driver.executeScript(
                "return document.documentElement.scrollWidth > document.documentElement.clientWidth"));
    }

    private List<WebElement> rows() {
        return driver.findElements(By.cssSelector("#results tbody tr"));
    }

    private void fill(String id, int value) {
        WebElement field = find(id);
        field.clear();
        field.sendKeys(Integer.toString(value));
    }

    private void choose(String id, String value) {
        find(By.cssSelector("#" + id + " option[value='" + value + "']")).click();
    }

    private WebElement find(String id) {
        return find(By.id(id));
    }

    private WebElement find(By by) {
        return driver.findElement(by);
    }
}
