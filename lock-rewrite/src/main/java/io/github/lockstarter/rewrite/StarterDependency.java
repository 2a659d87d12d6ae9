package io.github.lockstarter.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.openrewrite.ExecutionContext;
import org.openrewrite.xml.XPathMatcher;
import org.openrewrite.xml.XmlVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/** Adds the starter to the dependencies of a {@code pom.xml} that has a library, and may remove the library. */
final class StarterDependency extends XmlVisitor<ExecutionContext> {

    private static final String GROUP = "io.github.lockstarter";
    private static final String ARTIFACT = "lock-starter";
    private static final XPathMatcher DEPENDENCIES = new XPathMatcher("/project/dependencies");

    private final String group;
    private final String artifacts;
    private final boolean inPlaceOfLibrary;

    private StarterDependency(String group, String artifacts, boolean inPlaceOfLibrary) {
        this.group = group;
        this.artifacts = artifacts;
        this.inPlaceOfLibrary = inPlaceOfLibrary;
    }

    /** Replaces artifacts whose names match. */
    static StarterDependency inPlaceOf(String group, String artifacts) {
        return new StarterDependency(group, artifacts, true);
    }

    /** Keeps the library. */
    static StarterDependency beside(String group, String artifacts) {
        return new StarterDependency(group, artifacts, false);
    }

    @Override
    public Xml visitTag(Xml.Tag tag, ExecutionContext context) {
        if (!DEPENDENCIES.matches(getCursor())) {
            return super.visitTag(tag, context);
        }
        boolean present = tag.getChildren().stream().anyMatch(each -> is(each, GROUP, ARTIFACT));
        List<Content> contents = new ArrayList<>();
        for (Content content : Optional.ofNullable(tag.getContent()).orElse(List.of())) {
            boolean library = content instanceof Xml.Tag dependency && is(dependency, group, artifacts);
            if (!library || !inPlaceOfLibrary) {
                contents.add(content);
            }
            if (library && !present) {
                contents.add(starter((Xml.Tag) content));
                present = true;
            }
        }
        return contents.equals(tag.getContent()) ? tag : tag.withContent(contents);
    }

    private static boolean is(Xml.Tag dependency, String group, String artifacts) {
        return dependency.getChildValue("groupId").filter(group::equals).isPresent()
                && dependency
                        .getChildValue("artifactId")
                        .filter(id -> id.matches(artifacts))
                        .isPresent();
    }

    /** Indented as the library. */
    private static Xml.Tag starter(Xml.Tag library) {
        String line = library.getChildren().get(0).getPrefix();
        String end = library.getPrefix();
        return Xml.Tag.build(String.join(
                        line,
                        "<dependency>",
                        "<groupId>" + GROUP + "</groupId>",
                        "<artifactId>" + ARTIFACT + "</artifactId>",
                        "<version>" + version() + "</version>" + end + "</dependency>"))
                .withPrefix(end);
    }

    /** That of this jar. */
    private static String version() {
        return Optional.ofNullable(StarterDependency.class.getPackage().getImplementationVersion())
                .orElse("${lock-starter.version}");
    }
}
