package io.github.lockstarter.demo.experiment.page;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.springframework.util.FileSystemUtils;

/** A Chromium without a window, as installed on this machine. Never downloads one. */
final class Chromium implements AutoCloseable {

    private static final List<String> BROWSERS = List.of("chromium", "chromium-browser", "google-chrome", "chrome");

    private static final String CLIP = """
            const upper = document.querySelector(arguments[0]).getBoundingClientRect();
            const lower = document.querySelector(arguments[1]).getBoundingClientRect();
            const left = Math.min(upper.left, lower.left);
            const right = Math.max(upper.right, lower.right);
            return { x: left, y: upper.top + scrollY, width: right - left, height: lower.bottom - upper.top, scale: 1 };
            """;

    private static final String COLOUR = """
            const probe = document.createElement('i');
            probe.style.color = getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0]);
            document.body.append(probe);
            const colour = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            probe.remove();
            return colour.slice(0, 3);
            """;

    private final ChromeDriver driver;
    private final Path profile;

    private Chromium(ChromeDriver driver, Path profile) {
        this.driver = driver;
        this.profile = profile;
    }

    /** Whether there is a browser and its driver on the PATH. */
    static boolean isInstalled() {
        return browser().isPresent() && onPath("chromedriver").isPresent();
    }

    /** Starts it. */
    static Chromium start() {
        Path profile = temporaryProfile();
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser().orElseThrow().toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--user-data-dir=" + profile);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(onPath("chromedriver").orElseThrow().toFile())
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(20));
        return new Chromium(driver, profile);
    }

    ChromeDriver driver() {
        return driver;
    }

    /** The visible width in CSS pixels, which may be narrower than any window. */
    void resize(int width, int height) {
        driver.manage().window().setSize(new Dimension(Math.max(width, 600), height));
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    }

    /** The user's preference, {@code light} or {@code dark}. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /**
     * Takes an image of a part of the page, from the top of one element to the bottom of another, seen or not. Replaces
     * the image of that name in the documents, if there is one.
     *
     * @param name of the file, which is a PNG
     * @param first selects the upper element
     * @param last selects the lower one
     */
    void photograph(String name, String first, String last) {
        Path shown = Path.of(System.getProperty("screenshots.directory", "target/screenshots"), name + ".png");
        Path file = Files.exists(shown) ? shown : Path.of("target", "screenshots", name + ".png");
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, png(first, last));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Counts the pixels of a colour that a person sees in an element.
     *
     * @param selector the element
     * @param colour the name of one of the page's colours, such as {@code race}
     */
    long pixels(String selector, String colour) {
        List<?> wanted = (List<?>) Objects.requireNonNull(driver.executeScript(COLOUR, colour));
        int rgb = wanted.stream()
                .mapToInt(part -> ((Number) part).intValue())
                .reduce(0xff, (all, part) -> all << 8 | part);
        BufferedImage image = read(png(selector, selector));
        int[] seen = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        return Arrays.stream(seen).filter(pixel -> pixel == rgb).count();
    }

    private byte[] png(String first, String last) {
        Object clip = driver.executeScript(CLIP, first, last);
        Map<String, Object> image = driver.executeCdpCommand(
                "Page.captureScreenshot",
                Map.of("format", "png", "captureBeyondViewport", true, "clip", Objects.requireNonNull(clip)));
        return Base64.getDecoder().decode((String) image.get("data"));
    }

    private static BufferedImage read(byte[] png) {
        try {
            return Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream(png)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        driver.quit();
        try {
            FileSystemUtils.deleteRecursively(profile);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Optional<Path> browser() {
        return BROWSERS.stream().flatMap(name -> onPath(name).stream()).findFirst();
    }

    private static Optional<Path> onPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Path temporaryProfile() {
        try {
            return Files.createTempDirectory("demo-chromium");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
