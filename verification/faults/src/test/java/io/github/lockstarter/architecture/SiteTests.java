package io.github.lockstarter.architecture;

import static io.github.lockstarter.architecture.DocumentationTests.DOCS;
import static io.github.lockstarter.architecture.SourceFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documents as a site. What mkdocs refuses or breaks is checked without it: links and pages by {@link
 * DocumentationTests}, the rest here. Where mkdocs is installed, it builds the site.
 */
class SiteTests {

    private static final String HOST = "https://github.com/lockstarter/lock-starter/blob/main/";
    private static final String RAW = "https://raw.githubusercontent.com/lockstarter/lock-starter/main/";

    private static final Pattern JAVADOC =
            Pattern.compile("https://javadoc\\.io/doc/io\\.github\\.lockstarter/([\\w-]+)$", Pattern.MULTILINE);
    private static final Pattern BOM = Pattern.compile("<artifactId>([\\w-]+)</artifactId>");
    private static final Pattern TITLE = Pattern.compile("^# (.+)$", Pattern.MULTILINE);
    private static final Pattern ENTRY = Pattern.compile("- \\[([^]]+)]\\((https://\\S+)\\): \\S.*");

    @Test
    void everyHeadingHasOneAnchorOnTheSiteAndInTheRepository() throws IOException {
        for (Path page : DocumentationTests.documents(DOCS)) {
            Set<String> anchors = new HashSet<>();
            DocumentationTests.HEADING
                    .matcher(DocumentationTests.withoutFences(DocumentationTests.read(page)))
                    .results()
                    .map(heading -> heading.group(1))
                    .forEach(heading -> {
                        String anchor = DocumentationTests.slug(heading);
                        assertThat(anchorOfMkdocs(heading))
                                .as("%s in %s", heading, page)
                                .isEqualTo(anchor);
                        assertThat(anchors.add(anchor))
                                .as("%s once in %s", heading, page)
                                .isTrue();
                    });
        }
    }

    @Test
    void theCheckFindsAHeadingWithTwoAnchors() {
        assertThat(anchorOfMkdocs("Restart & failover")).isNotEqualTo(DocumentationTests.slug("Restart & failover"));
        assertThat(anchorOfMkdocs("7. Failover, or `a restart`")).isEqualTo("7-failover-or-a-restart");
    }

    /** The default of the Markdown extension {@code toc}. */
    private static String anchorOfMkdocs(String heading) {
        return Normalizer.normalize(heading, Normalizer.Form.NFKD)
                .replaceAll("[^\\w\\s-]", "")
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[-\\s]+", "-");
    }

    /** {@code .ci/site_links.py} rewrites links of Markdown only. */
    @Test
    void noPageLeavesTheDocumentsByHtml() throws IOException {
        for (Path page : DocumentationTests.documents(DOCS)) {
            assertThat(DocumentationTests.read(page)).as(page.toString()).doesNotContain("=\"../", "='../");
        }
    }

    @Test
    void linksToTheJavadocOfPublishedModules() throws IOException {
        List<String> published = groups(BOM, ROOT.resolve("lock-bom/pom.xml"));
        assertThat(groups(JAVADOC, ROOT.resolve("mkdocs.yml")))
                .hasSizeGreaterThan(2)
                .isSubsetOf(published);
    }

    private static List<String> groups(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** As llmstxt.org has it: a title, a summary, and sections of links with a line about each. */
    @Test
    void theListForToolsHasEveryPageUnderItsTitle() throws IOException {
        List<String> lines = Files.readAllLines(DOCS.resolve("llms.txt"));
        assertThat(lines.get(0)).isEqualTo("# lock-starter");
        assertThat(lines.get(2)).startsWith("> ");
        List<String> listed = new ArrayList<>();
        for (String line : lines.subList(3, lines.size())) {
            Matcher entry = ENTRY.matcher(line);
            if (entry.matches()) {
                listed.add(check(entry.toMatchResult()));
            } else {
                assertThat(line).matches("|## \\S.*|(?![-#>]).*");
            }
        }
        assertThat(listed)
                .doesNotHaveDuplicates()
                .containsAll(DocumentationTests.documents(DOCS).stream()
                        .map(page -> ROOT.relativize(page).toString().replace('\\', '/'))
                        .filter(page -> !page.equals("docs/README.md"))
                        .toList());
    }

    /** {@return the path of the listed document} */
    private static String check(MatchResult entry) throws IOException {
        assertThat(entry.group(2)).startsWith(RAW);
        String path = entry.group(2).substring(RAW.length());
        assertThat(groups(TITLE, ROOT.resolve(path)).get(0)).as(path).isEqualTo(entry.group(1));
        return path;
    }

    /** Skipped where mkdocs is not installed. */
    @Test
    void mkdocsBuildsTheSite() throws Exception {
        assumeThat(Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "mkdocs"))))
                .isTrue();
        Path site = Path.of("target", "site").toAbsolutePath();
        Process mkdocs = new ProcessBuilder("mkdocs", "build", "--strict", "--site-dir", site.toString())
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(mkdocs.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(mkdocs.waitFor()).as(output).isZero();
        assertThat(site.resolve("index.html")).content().contains("href=\"" + HOST + "CONTRIBUTING.md\"");
        assertThat(site.resolve("llms.txt")).exists();
    }
}
