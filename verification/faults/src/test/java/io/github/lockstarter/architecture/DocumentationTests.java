package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.github.lockstarter.LockException;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents: links resolve, the navigation is complete, and everything that an application uses is described. */
class DocumentationTests {

    private static final Path ROOT = SourceFiles.ROOT;
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    static final Path DOCS = ROOT.resolve("docs");
    private static final int MOST_LINES_OF_THE_README = 199;

    /** A section may be missing. */
    private static final Configuration OPTIONAL =
            Configuration.defaultConfiguration().addOptions(Option.SUPPRESS_EXCEPTIONS);

    private static final Pattern FENCE = Pattern.compile("^ *```.*?^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern COMMENT = Pattern.compile("\\s*(/?\\*|//)");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("(?:\\]\\(|^\\[[^\\]\n]+\\]: )([^)\\s]+)", Pattern.MULTILINE);
    static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*?) *#*$", Pattern.MULTILINE);
    private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");
    private static final Pattern LINK_TEXT = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern NAMED = Pattern.compile("\\bdocs/[\\w/-]+\\.md\\b");
    private static final Pattern NAVIGATION = Pattern.compile("^ *- (?:[^:\n]+: )?(\\S+\\.md)$", Pattern.MULTILINE);

    @Test
    void everyLinkHasATarget() throws IOException {
        List<Path> documents = documents(ROOT);
        List<String> broken = new ArrayList<>();
        for (Path document : documents) {
            Matcher links =
                    LINK.matcher(CODE.matcher(withoutFences(read(document))).replaceAll(""));
            while (links.find()) {
                if (isBroken(document, links.group(1))) {
                    broken.add(ROOT.relativize(document) + ": " + links.group(1));
                }
            }
        }
        assertThat(documents).hasSizeGreaterThan(10);
        assertThat(broken).as("broken links").isEmpty();
    }

    @Test
    void everyDocumentNamedInASourceExists() throws IOException {
        Set<String> named = new HashSet<>();
        for (Path source : SourceFiles.under(ROOT, ".java", ".lua", ".yaml")) {
            NAMED.matcher(read(source)).results().forEach(name -> named.add(name.group()));
        }
        assertThat(named).isNotEmpty().allSatisfy(name -> assertThat(ROOT.resolve(name))
                .exists());
    }

    /** The last column names the class that fails if the bug comes back. */
    @Test
    void everyBugHasAGuardThatExists() throws IOException {
        List<String> classes = SourceFiles.under(ROOT, ".java").stream()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .toList();
        List<String> bugs = Files.readAllLines(DOCS.resolve("reliability/bugs.csv"));
        assertThat(bugs).hasSizeGreaterThan(100);
        assertThat(bugs.stream().skip(1).map(bug -> bug.substring(bug.lastIndexOf(',') + 1)))
                .isSubsetOf(classes);
    }

    @Test
    void theNavigationListsEveryPage() throws IOException {
        List<String> listed = NAVIGATION
                .matcher(read(ROOT.resolve("mkdocs.yml")))
                .results()
                .map(entry -> entry.group(1))
                .toList();
        assertThat(listed)
                .containsExactlyInAnyOrderElementsOf(documents(DOCS).stream()
                        .map(page -> DOCS.relativize(page).toString().replace('\\', '/'))
                        .toList());
    }

    @Test
    void theReadmeIsShort() throws IOException {
        assertThat(read(ROOT.resolve("README.md")).lines().count())
                .as("lines of README.md")
                .isLessThanOrEqualTo(MOST_LINES_OF_THE_README);
    }

    @Test
    void describesEveryProperty() throws Exception {
        Set<String> described = codeIn("configuration.md");
        assertThat(properties()).hasSizeGreaterThan(30).allSatisfy(property -> assertThat(described)
                .as("configuration.md on %s", property)
                .contains(property));
    }

    /** In the metadata of its module, for editors. Values such as names have no default. */
    @Test
    void describesEveryPropertyToEditors() throws Exception {
        List<Map<String, Object>> ours = metadata();
        assertThat(ours).hasSizeGreaterThan(30).allSatisfy(property -> assertThat((String) property.get("description"))
                .as("description of %s", property.get("name"))
                .isNotBlank()
                .endsWith("."));
        assertThat(ours.stream()
                        .filter(property -> !property.containsKey("defaultValue"))
                        .map(property -> property.get("name")))
                .containsExactlyInAnyOrder(
                        "distributed-lock.cache.names",
                        "distributed-lock.etcd.password",
                        "distributed-lock.etcd.ssl-bundle",
                        "distributed-lock.etcd.user",
                        "distributed-lock.further-backends",
                        "distributed-lock.jdbc.dialect",
                        "distributed-lock.leader.roles",
                        "distributed-lock.locks",
                        "distributed-lock.max-lease",
                        "distributed-lock.observation.enabled",
                        "distributed-lock.redis.active-active",
                        "distributed-lock.redis.grace-period",
                        "distributed-lock.redlock.nodes",
                        "distributed-lock.redlock.password",
                        "distributed-lock.redlock.ssl-bundle",
                        "distributed-lock.redlock.username",
                        "distributed-lock.max-hold",
                        "management.endpoint.locks.roles");
    }

    /** Of a map, and of an enumeration with a constant that no property should have. */
    @Test
    void offersValuesToEditorsThatTheTypeDoesNotTell() throws Exception {
        List<Map<String, Object>> properties = metadata();
        Set<String> hints = new HashSet<>();
        metadata("hints").forEach(hint -> hints.add((String) hint.get("name")));

        assertThat(missingHints(properties, hints)).isEmpty();
        for (String hint : List.of("distributed-lock.renewal", "distributed-lock.locks.keys")) {
            Set<String> others = new HashSet<>(hints);
            assertThat(others.remove(hint)).isTrue();
            assertThat(missingHints(properties, others)).containsExactly(hint);
        }
        assertThat(hints).allSatisfy(hint -> assertThat(properties)
                .extracting(property -> property.get("name"))
                .contains(hint.replaceAll("\\.(keys|values)$", "")));
    }

    private static List<String> missingHints(List<Map<String, Object>> properties, Set<String> hints) throws Exception {
        List<String> expected = new ArrayList<>();
        for (Map<String, Object> property : properties) {
            String name = (String) property.get("name");
            String type = (String) property.get("type");
            if (type.startsWith("java.util.Map<")) {
                expected.add(name + ".keys");
                expected.add(name + ".values");
            } else if (type.startsWith(LockException.class.getPackageName())
                    && Arrays.toString(Class.forName(type).getEnumConstants()).contains("AS_CONFIGURED")) {
                expected.add(name);
            }
        }
        assertThat(expected).hasSizeGreaterThan(4);
        expected.removeAll(hints);
        return expected;
    }

    @Test
    void describesEveryMeter() throws Exception {
        Set<String> described = codeIn("operations.md");
        assertThat(Class.forName("io.github.lockstarter.observe.LockMeter").getEnumConstants())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(described).contains(((MeterDocumentation) meter).getName()));
    }

    @Test
    void describesEveryException() throws Exception {
        Set<String> described = codeIn("exceptions.md");
        List<Class<?>> exceptions = exceptionsOfTheApi();
        assertThat(exceptions).hasSizeGreaterThan(4).allSatisfy(type -> assertThat(described)
                .contains(type.getSimpleName()));
    }

    @Test
    void computesAnchorsOfHeadingsLikeGitHub() {
        assertThat(slug("9. Redis `evicts` a lock")).isEqualTo("9-redis-evicts-a-lock");
        assertThat(slug("See it break, see it hold")).isEqualTo("see-it-break-see-it-hold");
        assertThat(slug("As `java.util.concurrent.locks.Lock`")).isEqualTo("as-javautilconcurrentlockslock");
        assertThat(slug("它不是什么")).isEqualTo("它不是什么");
        assertThat(anchors("# Twice\n## Twice\n```\n# no heading\n```\n<a id=\"by-hand\"></a>"))
                .containsExactlyInAnyOrder("twice", "twice-1", "by-hand");
    }

    private static boolean isBroken(Path document, String link) throws IOException {
        if (link.startsWith("http://") || link.startsWith("https://")) {
            return false;
        }
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? document : document.resolveSibling(file).normalize();
        if (!target.startsWith(ROOT) || !Files.exists(target)) {
            return true;
        }
        return hash >= 0 && !anchors(read(target)).contains(link.substring(hash + 1));
    }

    private static Set<String> anchors(String document) {
        String text = withoutFences(document);
        Set<String> anchors = new HashSet<>();
        ANCHOR.matcher(text).results().forEach(anchor -> anchors.add(anchor.group(1)));
        Map<String, Integer> repetitions = new HashMap<>();
        HEADING.matcher(text).results().map(heading -> slug(heading.group(1))).forEach(slug -> {
            int before = repetitions.merge(slug, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? slug : slug + '-' + before);
        });
        return anchors;
    }

    /** The anchor that GitHub gives a heading. */
    static String slug(String heading) {
        return LINK_TEXT
                .matcher(heading)
                .replaceAll("$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}\\p{M}_\\- ]", "")
                .replace(' ', '-');
    }

    static String withoutFences(String document) {
        return FENCE.matcher(document).replaceAll("");
    }

    @Test
    void keepsCommentsWithin120Columns() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : SourceFiles.under(ROOT, ".java")) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).length() > 120 && COMMENT.matcher(lines.get(i)).lookingAt()) {
                    tooLong.add(ROOT.relativize(file) + ":" + (i + 1));
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    /** Code on the page, by line: names of properties, meters and types. */
    private static Set<String> codeIn(String page) throws IOException {
        Set<String> code = new HashSet<>();
        CODE.matcher(withoutFences(read(DOCS.resolve(page))))
                .results()
                .map(span -> span.group().substring(1, span.group().length() - 1))
                .forEach(code::add);
        return code;
    }

    /** Properties as the page writes them: without the common prefix, and with the names below {@code locks}. */
    private static List<String> properties() throws Exception {
        Stream<String> all = metadata().stream()
                .map(property -> (String) property.get("name"))
                .filter(name -> !name.equals("distributed-lock.locks"))
                .map(name ->
                        name.startsWith("distributed-lock.") ? name.substring("distributed-lock.".length()) : name);
        Stream<String> named =
                Arrays.stream(named().getRecordComponents()).map(component -> "locks.<name>." + dashed(component));
        return Stream.concat(all, named).toList();
    }

    /** The properties of one name. */
    static Class<?> named() throws ClassNotFoundException {
        return Class.forName("io.github.lockstarter.autoconfigure.DistributedLockProperties$Named");
    }

    static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    static List<Map<String, Object>> metadata() throws IOException {
        return metadata("properties");
    }

    private static List<Map<String, Object>> metadata(String section) throws IOException {
        List<Map<String, Object>> entries = new ArrayList<>();
        for (URL metadata :
                Collections.list(DocumentationTests.class.getClassLoader().getResources(METADATA))) {
            try (InputStream json = metadata.openStream()) {
                entries.addAll(
                        JsonPath.using(OPTIONAL).parse(json).<List<Map<String, Object>>>read("$." + section + "[*]"));
            }
        }
        entries.removeIf(entry -> !isOurs((String) entry.get("name")));
        return entries;
    }

    private static List<Class<?>> exceptionsOfTheApi() {
        String api = LockException.class.getPackageName();
        List<Class<?>> found = ArchitectureTests.STARTER.stream()
                .filter(type -> type.getPackageName().equals(api))
                .filter(type -> type.isAssignableTo(Throwable.class))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .<Class<?>>map(JavaClass::reflect)
                .toList();
        assertThat(found).contains(LockException.class);
        return found;
    }

    static List<Path> documents(Path directory) throws IOException {
        return SourceFiles.under(directory, ".md");
    }

    static String read(Path file) throws IOException {
        return Files.readString(file);
    }

    /** The class path has the metadata of Spring Boot, too. */
    private static boolean isOurs(String property) {
        return Stream.of("distributed-lock", "management.endpoint.locks", "management.health.distributedlock")
                .anyMatch(property::startsWith);
    }
}
