package io.github.lockstarter.demo.experiment.page;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

/** The gallery of broken locks as a person uses it. */
final class GalleryPage {

    private static final Duration PLAY = Duration.ofMinutes(4);

    /** Whether red is drawn in two lanes at one time. */
    private static final String SHARED = """
            const rects = [...document.querySelectorAll(arguments[0] + ' rect.race')].map(rect => rect.getBoundingClientRect());
            return rects.some(one => rects.some(other =>
                one.top !== other.top && one.left < other.right - 1 && other.left < one.right - 1));
            """;

    private static final String INTERLEAVING = """
            const [steps, done] = arguments;
            import('/js/interleaving.js').then(({ interleave }) => {
              const { bars, gone, stops } = interleave(JSON.parse(steps));
              const part = ({ caller, kind, from, to }) => [caller, kind, `${from}-${to}`].filter(Boolean).join(' ');
              done([
                ...bars.map(part),
                ...bars.flatMap(bar => bar.pieces.map(piece => part({ caller: bar.caller, ...piece }))),
                ...gone.map(lock => part({ kind: 'left', ...lock })),
                ...stops.map(stop => part({ kind: 'stopped', ...stop })),
              ].join(', '));
            }, failure => done(String(failure)));
            """;

    private final ChromeDriver driver;

    GalleryPage(ChromeDriver driver) {
        this.driver = driver;
    }

    void open(int port) {
        driver.get("http://localhost:" + port + "/#gallery");
        await().atMost(PLAY).until(() -> !exhibits().isEmpty());
    }

    /** The ids of all exhibits, in their order. */
    List<String> exhibits() {
        return driver.findElements(By.cssSelector("[data-play]")).stream()
                .map(button -> Objects.requireNonNull(button.getDomAttribute("data-play")))
                .toList();
    }

    void seed(int seed) {
        WebElement field = driver.findElement(By.id("seed"));
        field.clear();
        field.sendKeys(Integer.toString(seed));
    }

    /** Begins to play one, with the keyboard. */
    void begin(String exhibit) {
        button(exhibit).sendKeys(Keys.ENTER);
        await().atMost(PLAY).until(() -> isPlaying() || !problem().isEmpty());
    }

    /** Plays one to its end. */
    void play(String exhibit) {
        begin(exhibit);
        awaitEnd();
    }

    void playAll() {
        driver.findElement(By.id("play-all")).click();
        await().atMost(PLAY).until(this::isPlaying);
        awaitEnd();
    }

    void stop() {
        driver.findElement(By.id("stop-playing")).click();
        awaitEnd();
    }

    boolean isPlaying() {
        return driver.findElement(By.id("stop-playing")).isEnabled();
    }

    boolean isPossible(String exhibit) {
        return "false".equals(button(exhibit).getDomAttribute("aria-disabled"));
    }

    String status() {
        return driver.findElement(By.id("gallery-status")).getText();
    }

    String problem() {
        return driver.findElement(By.id("gallery-problem")).getText();
    }

    /** Texts on the plate of an exhibit: its title, its flaw, the behaviour of lock-starter, and the button. */
    List<String> plate(String exhibit) {
        return driver.findElements(By.cssSelector("#exhibit-" + exhibit + " .plate :is(h3, p, button)")).stream()
                .map(WebElement::getText)
                .toList();
    }

    /** The row of an exhibit in the table: its title, and the results of the broken lock and of lock-starter. */
    List<String> line(String exhibit) {
        return driver
                .findElements(By.xpath("//table[@id='overview']//tr[.//a[@href='#exhibit-" + exhibit + "']]/*"))
                .stream()
                .map(WebElement::getText)
                .toList();
    }

    /** The figures of a side, by their names. */
    Map<String, String> figures(String side) {
        return driver.findElements(By.cssSelector(side + " [data-figure]")).stream()
                .collect(Collectors.toMap(
                        figure -> Objects.requireNonNull(figure.getDomAttribute("data-figure")),
                        figure -> figure.findElement(By.tagName("dd")).getText()));
    }

    List<String> steps(String side) {
        return driver.findElements(By.cssSelector(side + " .steps li")).stream()
                .map(WebElement::getText)
                .toList();
    }

    int marks(String side) {
        return driver.findElements(By.cssSelector(side + " svg .mark")).size();
    }

    /** Folds the steps away, or opens them, with the keyboard. */
    void toggleSteps(String side) {
        driver.findElement(By.cssSelector(side + " summary")).sendKeys(Keys.SPACE);
    }

    boolean sharesRed(String side) {
        return Boolean.TRUE.equals(driver.executeScript(SHARED, side));
    }

    /** Gives steps to the reckoning behind the drawing, and reads the bars that it makes of them. */
    String drawnOf(String steps) {
        return (String) Objects.requireNonNull(driver.executeAsyncScript(INTERLEAVING, steps));
    }

    static String broken(String exhibit) {
        return "#exhibit-" + exhibit + " .broken";
    }

    static String ours(String exhibit) {
        return "#exhibit-" + exhibit + " .ours";
    }

    private void awaitEnd() {
        await().atMost(PLAY).until(() -> !isPlaying());
    }

    private WebElement button(String exhibit) {
        return driver.findElement(By.cssSelector("[data-play='" + exhibit + "']"));
    }
}
