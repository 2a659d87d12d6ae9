package io.github.lockstarter.rewrite;

import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType.FullyQualified;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.SearchResult;

/** Marks the types of a library that it does not know; subclasses translate the others. */
abstract class LockTranslation extends JavaIsoVisitor<ExecutionContext> {

    private final String library;
    private final Set<String> known;
    private final LockMigration.Users users;

    /** {@code library} is the prefix of its types. */
    LockTranslation(String library, Set<String> known, LockMigration.Users users) {
        this.library = library;
        this.known = known;
        this.users = users;
    }

    /** Whether the source changes: then no source has a mark. */
    final boolean translates() {
        return users.areTranslatable();
    }

    final boolean isUnknown(FullyQualified type) {
        return type.getFullyQualifiedName().startsWith(library) && !known.contains(type.getFullyQualifiedName());
    }

    final <T extends J> T marked(T tree, String why) {
        users.recordMark();
        return SearchResult.found(tree, why);
    }

    final J.Identifier marked(J.Identifier name) {
        return marked(name, name.getSimpleName() + " has no exact counterpart");
    }

    /** The annotation of the starter, unless it cannot have the attributes. */
    final J.Annotation replaced(J.Annotation old, String type, UnaryOperator<Map<String, Expression>> attributes) {
        try {
            Map<String, Expression> translated = attributes.apply(StarterAnnotation.attributes(old));
            if (!translates()) {
                return old;
            }
            maybeAddImport(type);
            maybeRemoveImport(TypeUtils.asFullyQualified(old.getType()));
            return StarterAnnotation.inPlaceOf(old, type, translated);
        } catch (UntranslatableException e) {
            return marked(old, e.advice());
        }
    }

    /** A variable has a field type; the name of its type, which is marked instead, has none. */
    @Override
    public J.Identifier visitIdentifier(J.Identifier name, ExecutionContext context) {
        FullyQualified type = TypeUtils.asFullyQualified(name.getType());
        return name.getFieldType() == null && type != null && isUnknown(type) ? marked(name) : name;
    }

    @Override
    public J.Import visitImport(J.Import source, ExecutionContext context) {
        return source;
    }

    /** Comments, which may refer to types. */
    @Override
    public Space visitSpace(@Nullable Space space, Space.Location location, ExecutionContext context) {
        return space == null ? Space.EMPTY : space;
    }
}
