package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Publication: the bill of materials contains each module, in one version, and each module has a description. */
class PublicationTests {

    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
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
    void everyPublishedModuleHasNameAndDescription() throws Exception {
        for (Document module : published()) {
            assertThat(text(module, "/project/name")).isNotBlank();
            assertThat(text(module, "/project/description")).isNotBlank();
        }
        for (String element : List.of("url", "licenses", "developers", "scm", "issueManagement")) {
            assertThat(text(pom("lock-bom"), "/project/" + element))
                    .as(element)
                    .isNotBlank()
                    .isEqualTo(text(pom(""), "/project/" + element));
        }
    }

    private static List<Document> published() throws Exception {
        return texts(pom(""), "/project/modules/module").stream()
                .filter(module -> !module.equals("lock-bom"))
                .map(PublicationTests::pom)
                .filter(pom ->
                        !text(pom, "/project/properties/maven.deploy.skip").equals("true"))
                .toList();
    }

    private static Document pom(String module) {
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

    private static List<String> texts(Document pom, String path) {
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
