package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/**
 * Publication: the bill of materials contains each module, in one version, and each module has a description, a module
 * name and packages of its own.
 */
class PublicationTests {

    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final String GROUP = "io.github.lockstarter";
    private static final String MODULE_NAME = "Automatic-Module-Name";

    /** With OpenRewrite, which is not on the class path. */
    private static final String MIGRATION = "io.github.lockstarter.rewrite";

    private static final String MANAGED = "/project/dependencyManagement/dependencies/dependency";

    @Test
    void theBomListsEveryPublishedModule() throws Exception {
        List<Document> published = published();

        assertThat(published).hasSizeGreaterThan(7);
        assertThat(texts(pom("lock-bom"), MANAGED + "/artifactId"))
                .containsExactlyInAnyOrderElementsOf(published.stream()
                        .map(module -> text(module, "/project/artifactId"))
                        .toList());
        assertThat(texts(pom("lock-bom"), MANAGED + "/version")).containsOnly("${project.version}");
    }

    @Test
    void eachModuleHasTheVersionOfItsParent() throws Exception {
        String version = text(pom(""), "/project/version");

        for (String module : texts(pom(""), "/project/modules/module")) {
            boolean hasOurParent =
                    text(pom(module), "/project/parent/artifactId").equals("lock-parent");
            assertThat(text(pom(module), hasOurParent ? "/project/parent/version" : "/project/version"))
                    .as(module)
                    .isEqualTo(version);
        }
    }

    @Test
    void everyPublishedModuleHasNameDescriptionAndJavadoc() throws Exception {
        for (Document module : published()) {
            assertThat(text(module, "/project/name")).isNotBlank();
            assertThat(text(module, "/project/description")).isNotBlank();
            assertThat(texts(module, "/project/build/plugins/plugin/artifactId"))
                    .as(text(module, "/project/name"))
                    .contains("maven-javadoc-plugin");
        }
        for (String element : List.of("url", "licenses", "developers", "scm", "issueManagement")) {
            assertThat(text(pom("lock-bom"), "/project/" + element))
                    .as(element)
                    .isNotBlank()
                    .isEqualTo(text(pom(""), "/project/" + element));
        }
    }

    @Test
    void eachJarIsAModuleWithPackagesOfItsOwn() throws Exception {
        Set<Path> jars = new TreeSet<>();
        for (JavaClass type : ArchitectureTests.STARTER) {
            URI source = type.getSource().orElseThrow().getUri();
            assumeThat(source.getScheme())
                    .as("packed before the tests, as in mvn verify")
                    .isEqualTo("jar");
            String entry = source.getSchemeSpecificPart();
            jars.add(Path.of(URI.create(entry.substring(0, entry.indexOf('!')))));
        }
        List<String> names =
                modules(jars).stream().map(ModuleDescriptor::name).sorted().toList();

        assertThat(problems(jars)).isEmpty();
        assertThat(names)
                .containsExactlyInAnyOrderElementsOf(published().stream()
                        .map(module -> text(module, "/project/properties/lock.module"))
                        .filter(module -> !module.equals(MIGRATION))
                        .toList());
    }

    @Test
    void theCheckFindsAJarWithoutANameAndASharedPackage(@TempDir Path folder) throws Exception {
        Path classes = folder.resolve("classes");
        Path shared = Files.createDirectories(classes.resolve("io/github/lockstarter/shared"));
        Files.createFile(shared.resolve("Shared.class"));
        Manifest named = new Manifest();
        named.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        named.getMainAttributes().putValue(MODULE_NAME, "io.github.lockstarter.named");
        Path withName = jar(folder.resolve("named-1.0.jar"), named, classes);
        Path withoutName = jar(folder.resolve("lock-core-1.0.jar"), new Manifest(), classes);

        assertThat(problems(Set.of(withName))).isEmpty();
        assertThat(problems(Set.of(withoutName))).containsExactly("lock-core-1.0.jar has no " + MODULE_NAME);
        assertThat(problems(Set.of(withName, withoutName))).contains("io.github.lockstarter.shared is in two jars");
    }

    /** Of the module path, where a package that is in two jars is an error. */
    private static List<String> problems(Set<Path> jars) {
        List<String> problems = new ArrayList<>();
        Set<String> packages = new HashSet<>();
        for (Path jar : jars) {
            ModuleDescriptor module = modules(Set.of(jar)).get(0);
            if (!module.name().startsWith(GROUP)) {
                problems.add(jar.getFileName() + " has no " + MODULE_NAME);
            }
            module.packages().stream()
                    .filter(each -> !packages.add(each))
                    .forEach(each -> problems.add(each + " is in two jars"));
        }
        return problems;
    }

    private static List<ModuleDescriptor> modules(Set<Path> jars) {
        return ModuleFinder.of(jars.toArray(Path[]::new)).findAll().stream()
                .map(ModuleReference::descriptor)
                .toList();
    }

    /** Packs a folder. */
    static Path jar(Path jar, Manifest manifest, Path folder) throws IOException {
        try (JarOutputStream packed = new JarOutputStream(Files.newOutputStream(jar), manifest);
                Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                packed.putNextEntry(new JarEntry(folder.relativize(file).toString()));
                Files.copy(file, packed);
            }
        }
        return jar;
    }

    private static List<Document> published() throws Exception {
        return texts(pom(""), "/project/modules/module").stream()
                .filter(module -> !module.equals("lock-bom"))
                .map(PublicationTests::pom)
                .filter(pom ->
                        !text(pom, "/project/properties/maven.deploy.skip").equals("true"))
                .toList();
    }

    static Document pom(String module) {
        try (var file = Files.newInputStream(ROOT.resolve(module).resolve("pom.xml"))) {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file);
        } catch (Exception e) {
            throw new IllegalStateException(module, e);
        }
    }

    /** Empty where there is no such element. */
    private static String text(Document pom, String path) {
        return texts(pom, path).stream().findFirst().orElse("");
    }

    static List<String> texts(Document pom, String path) {
        try {
            NodeList found =
                    (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, pom, XPathConstants.NODESET);
            return IntStream.range(0, found.getLength())
                    .mapToObj(i -> found.item(i).getTextContent().strip())
                    .toList();
        } catch (Exception e) {
            throw new IllegalStateException(path, e);
        }
    }
}
