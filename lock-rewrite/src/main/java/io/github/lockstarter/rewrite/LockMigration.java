package io.github.lockstarter.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.J;
import org.openrewrite.xml.tree.Xml;

/**
 * Moves all locks of a library, or none: a lock of the library and one of the starter do not exclude each other. If a
 * use has no exact counterpart, the recipe marks it, and changes nothing else.
 */
abstract class LockMigration extends ScanningRecipe<LockMigration.Users> {

    /** The sources with locks of the library. */
    static final class Users {

        private final List<J.CompilationUnit> sources = new ArrayList<>();
        private boolean checked;
        private boolean marked;

        List<J.CompilationUnit> sources() {
            return sources;
        }

        void recordMark() {
            marked = true;
        }

        /** Whether all locks have an exact counterpart; false while this is not known. */
        boolean areTranslatable() {
            return checked && !marked;
        }
    }

    /** Pattern for the types of which a source has locks if it uses one. */
    abstract String lockTypes();

    /** Translates a source, or marks what cannot be translated. */
    abstract LockTranslation translation(Users users);

    /** Adds the starter to a {@code pom.xml} that has the library. */
    abstract StarterDependency dependency();

    @Override
    public final Users getInitialValue(ExecutionContext context) {
        return new Users();
    }

    @Override
    public final TreeVisitor<?, ExecutionContext> getScanner(Users users) {
        return new JavaIsoVisitor<ExecutionContext>() {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit source, ExecutionContext context) {
                if (uses(source, lockTypes())) {
                    users.sources.add(source);
                }
                return source;
            }
        };
    }

    /** Generates nothing, but is called once, between the scan and the changes. */
    @Override
    public final List<SourceFile> generate(Users users, ExecutionContext context) {
        users.sources.forEach(source -> translation(users).visit(source, context));
        users.checked = !users.sources.isEmpty();
        return List.of();
    }

    @Override
    public final TreeVisitor<?, ExecutionContext> getVisitor(Users users) {
        return new TreeVisitor<Tree, ExecutionContext>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof J.CompilationUnit source && uses(source, lockTypes())) {
                    return translation(users).visit(source, context);
                }
                boolean pom = tree instanceof Xml.Document file
                        && file.getSourcePath().endsWith("pom.xml");
                return pom && users.areTranslatable() ? dependency().visit(tree, context) : tree;
            }
        };
    }

    /** In its code, or as a type of a method that it calls. */
    static boolean uses(J.CompilationUnit source, String types) {
        return new UsesType<Integer>(types, true).visit(source, 0) != source;
    }
}
