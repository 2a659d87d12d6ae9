package io.github.lockstarter.rewrite;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.RemoveUnusedImports;
import org.openrewrite.java.search.FindAnnotations;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType.FullyQualified;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** Replaces {@code @SchedulerLock} by {@code @ScheduledLock}, and removes the configuration of a provider in Redis. */
public final class MigrateFromShedLock extends LockMigration {

    private static final String LIBRARY = "net.javacrumbs.shedlock.";
    private static final String SCHEDULER_LOCK = LIBRARY + "spring.annotation.SchedulerLock";
    private static final String ENABLE = LIBRARY + "spring.annotation.EnableSchedulerLock";
    private static final String LOCK_ASSERT = LIBRARY + "core.LockAssert";
    private static final String LOCK_HANDLE = "io.github.lockstarter.LockHandle";
    private static final MethodMatcher ASSERT_LOCKED = new MethodMatcher(LOCK_ASSERT + " assertLocked()");
    private static final AnnotationMatcher BEAN = new AnnotationMatcher("@org.springframework.context.annotation.Bean");

    /** Creates the recipe, for OpenRewrite. */
    public MigrateFromShedLock() {}

    @Override
    public String getDisplayName() {
        return "Migrate from ShedLock to lock-starter";
    }

    @Override
    public String getDescription() {
        return "Replaces `@SchedulerLock` by `@ScheduledLock`, and removes the provider and the dependency. If a use"
                + " has no exact counterpart, it is marked, and nothing else changes.";
    }

    @Override
    String lockTypes() {
        return LIBRARY + ".*";
    }

    @Override
    StarterDependency dependency() {
        return StarterDependency.inPlaceOf("net.javacrumbs.shedlock", "shedlock-.*");
    }

    @Override
    LockTranslation translation(Users users) {
        Map<String, Expression> defaults = defaults(users);
        return new LockTranslation(LIBRARY, Set.of(), users) {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit source, ExecutionContext context) {
                if (translates()) {
                    doAfterVisit(new RemoveAnnotationVisitor(new AnnotationMatcher("@" + ENABLE)));
                }
                return super.visitCompilationUnit(source, context);
            }

            @Override
            public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
                if (TypeUtils.isOfClassType(annotation.getType(), ENABLE)) {
                    boolean times = Set.of("defaultLockAtMostFor", "defaultLockAtLeastFor")
                            .containsAll(
                                    StarterAnnotation.attributes(annotation).keySet());
                    return times ? annotation : marked(annotation, "only its times have a counterpart");
                }
                return TypeUtils.isOfClassType(annotation.getType(), SCHEDULER_LOCK)
                        ? replaced(
                                annotation,
                                "io.github.lockstarter.scheduling.ScheduledLock",
                                given -> attributes(given, defaults))
                        : super.visitAnnotation(annotation, context);
            }

            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
                J.ClassDeclaration visited = super.visitClassDeclaration(type, context);
                List<Statement> members = new ArrayList<>(visited.getBody().getStatements());
                if (!translates() || !members.removeIf(MigrateFromShedLock::isRedisProvider)) {
                    return visited;
                }
                doAfterVisit(new RemoveUnusedImports().getVisitor());
                return visited.withBody(visited.getBody().withStatements(members));
            }

            @Override
            public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
                return isRedisProvider(method) ? method : super.visitMethodDeclaration(method, context);
            }

            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
                if (!ASSERT_LOCKED.matches(call)) {
                    return super.visitMethodInvocation(call, context);
                }
                if (!translates()) {
                    return call;
                }
                maybeAddImport(LOCK_HANDLE);
                maybeRemoveImport(LOCK_ASSERT);
                return JavaTemplate.builder("LockHandle.current().orElseThrow()")
                        .imports(LOCK_HANDLE)
                        .javaParser(JavaParser.fromJavaVersion()
                                .dependsOn("package io.github.lockstarter; public interface LockHandle {"
                                        + " static java.util.Optional<LockHandle> current() { return null; } }"))
                        .build()
                        .apply(getCursor(), call.getCoordinates().replace());
            }
        };
    }

    /** Of the only configuration; none if there are several. */
    private static Map<String, Expression> defaults(Users users) {
        List<J.Annotation> configurations = users.sources().stream()
                .filter(source -> uses(source, ENABLE))
                .flatMap(source -> FindAnnotations.find(source, "@" + ENABLE).stream())
                .toList();
        return configurations.size() == 1 ? StarterAnnotation.attributes(configurations.get(0)) : Map.of();
    }

    private static Map<String, Expression> attributes(Map<String, Expression> given, Map<String, Expression> defaults) {
        Expression name = Optional.ofNullable(given.get("name"))
                .orElseThrow(() -> new UntranslatableException("give the lock a name"));
        Expression atMost = time(given.get("lockAtMostFor"), defaults.get("defaultLockAtMostFor"))
                .orElseThrow(() -> new UntranslatableException("set lockAtMostFor here"));
        Optional<Expression> atLeast = time(given.get("lockAtLeastFor"), defaults.get("defaultLockAtLeastFor"));
        Map<String, Expression> attributes = new LinkedHashMap<>();
        attributes.put("name", StarterAnnotation.checkedName(name));
        atLeast.ifPresent(minHold -> attributes.put("minHold", minHold));
        if (atLeast.flatMap(MigrateFromShedLock::duration)
                .filter(least -> least.compareTo(StarterAnnotation.LEASE) > 0)
                .isPresent()) {
            throw new UntranslatableException("a minimum hold above 30 s needs a longer lease");
        }
        if (duration(atMost)
                .filter(most -> most.compareTo(StarterAnnotation.LEASE) < 0)
                .isPresent()) {
            attributes.put("lease", atMost);
        }
        attributes.put("maxHold", atMost);
        return attributes;
    }

    /** The first that is not blank. The constant of another source is not visible here. */
    private static Optional<Expression> time(@Nullable Expression given, @Nullable Expression configured) {
        return Stream.of(
                        Optional.ofNullable(given),
                        Optional.ofNullable(configured).filter(J.Literal.class::isInstance))
                .flatMap(Optional::stream)
                .filter(time ->
                        StarterAnnotation.text(time).filter(String::isBlank).isEmpty())
                .findFirst();
    }

    /** Empty for a constant and a placeholder, which the start of the application checks. */
    private static Optional<Duration> duration(Expression time) {
        try {
            return StarterAnnotation.text(time)
                    .map(text -> text.matches("\\d+(ms)?")
                            ? Duration.ofMillis(Long.parseLong(text.replace("ms", "")))
                            : Duration.parse(
                                    text.replaceFirst("^(\\d+)d$", "P$1D").replaceFirst("^(\\d+)([smh])$", "PT$1$2")));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static boolean isRedisProvider(Statement member) {
        if (!(member instanceof J.MethodDeclaration method)
                || method.getLeadingAnnotations().stream().noneMatch(BEAN::matches)
                || method.getBody() == null
                || method.getBody().getStatements().size() != 1
                || !(method.getBody().getStatements().get(0) instanceof J.Return result)
                || result.getExpression() == null) {
            return false;
        }
        FullyQualified provider =
                TypeUtils.asFullyQualified(result.getExpression().getType());
        return provider != null && provider.getFullyQualifiedName().startsWith(LIBRARY + "provider.redis.");
    }
}
