package io.github.lockstarter.rewrite;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JContainer;
import org.openrewrite.java.tree.JLeftPadded;
import org.openrewrite.java.tree.JRightPadded;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.marker.Markers;

/** An annotation of the starter in place of one of a library. */
final class StarterAnnotation {

    /** The lease of a lock, and the longest one, unless they are configured. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final String NAME = "([A-Za-z0-9._-]|\\$\\{[^}]*})*";

    private StarterAnnotation() {}

    static J.Annotation inPlaceOf(J.Annotation old, String type, Map<String, Expression> attributes) {
        List<JRightPadded<Expression>> arguments = new ArrayList<>();
        attributes.forEach((name, value) -> arguments.add(
                JRightPadded.build(assignment(arguments.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE, name, value))));
        JavaType.ShallowClass shallow = JavaType.ShallowClass.build(type);
        return old.withAnnotationType(identifier(shallow.getClassName(), shallow))
                .getPadding()
                .withArguments(arguments.isEmpty() ? null : JContainer.build(Space.EMPTY, arguments, Markers.EMPTY));
    }

    /** The values that the source has, by attribute. */
    static Map<String, Expression> attributes(J.Annotation annotation) {
        Map<String, Expression> attributes = new LinkedHashMap<>();
        for (Expression argument :
                Optional.ofNullable(annotation.getArguments()).orElse(List.of())) {
            if (argument instanceof J.Assignment assignment) {
                attributes.put(assignment.getVariable().toString(), assignment.getAssignment());
            }
        }
        return attributes;
    }

    /** The value of a text literal. */
    static Optional<String> text(Expression expression) {
        return expression instanceof J.Literal literal && literal.getValue() instanceof String text
                ? Optional.of(text)
                : Optional.empty();
    }

    static J.Literal literal(String text) {
        String source = '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        return new J.Literal(
                Tree.randomId(), Space.EMPTY, Markers.EMPTY, text, source, null, JavaType.Primitive.String);
    }

    /** The name, unless it is a literal with other characters. */
    static Expression checkedName(Expression name) {
        if (text(name).filter(given -> !given.matches(NAME)).isPresent()) {
            throw new UntranslatableException("a name has letters, digits, '.', '_' and '-' only");
        }
        return name;
    }

    private static J.Assignment assignment(Space before, String name, Expression value) {
        Expression assigned = value.withId(Tree.randomId());
        assigned = assigned.withPrefix(Space.SINGLE_SPACE);
        return new J.Assignment(
                Tree.randomId(),
                before,
                Markers.EMPTY,
                identifier(name, value.getType()),
                JLeftPadded.build(assigned).withBefore(Space.SINGLE_SPACE),
                value.getType());
    }

    private static J.Identifier identifier(String name, @Nullable JavaType type) {
        return new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), name, type, null);
    }
}
