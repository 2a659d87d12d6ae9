package io.github.lockstarter.rewrite;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.ChangeMethodName;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/**
 * Replaces {@code RedissonClient} by {@code LockOperations} in the sources that have locks, and the locks by those of
 * {@link java.util.concurrent.locks}.
 */
public final class MigrateFromRedisson extends LockMigration {

    private static final String CLIENT = "org.redisson.api.RedissonClient";
    private static final String LOCK = "org.redisson.api.RLock";
    private static final String READ_WRITE_LOCK = "org.redisson.api.RReadWriteLock";
    private static final String GET_LOCK = CLIENT + " getLock(java.lang.String)";
    private static final String GET_READ_WRITE_LOCK = CLIENT + " getReadWriteLock(java.lang.String)";

    private static final List<MethodMatcher> COMMON = Stream.of(
                    GET_LOCK, GET_READ_WRITE_LOCK, READ_WRITE_LOCK + " readLock()", READ_WRITE_LOCK + " writeLock()")
            .map(MethodMatcher::new)
            .toList();

    /** Creates the recipe, for OpenRewrite. */
    public MigrateFromRedisson() {}

    @Override
    public String getDisplayName() {
        return "Migrate locks from Redisson to lock-starter";
    }

    @Override
    public String getDescription() {
        return "Replaces `RLock` and `RReadWriteLock` by the locks of the JDK that `LockOperations` has, and adds the"
                + " dependency. If a use has no exact counterpart, it is marked, and nothing else changes.";
    }

    @Override
    String lockTypes() {
        return "org.redisson.api.R*Lock";
    }

    @Override
    StarterDependency dependency() {
        return StarterDependency.beside("org.redisson", "redisson(-spring-boot-starter)?");
    }

    @Override
    LockTranslation translation(Users users) {
        return new LockTranslation("org.redisson.", Set.of(CLIENT, LOCK, READ_WRITE_LOCK), users) {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit source, ExecutionContext context) {
                if (!translates()) {
                    return super.visitCompilationUnit(source, context);
                }
                doAfterVisit(new ChangeMethodName(GET_LOCK, "asLock", null, null).getVisitor());
                doAfterVisit(new ChangeMethodName(GET_READ_WRITE_LOCK, "asReadWriteLock", null, null).getVisitor());
                doAfterVisit(new ChangeType(LOCK, "java.util.concurrent.locks.Lock", true).getVisitor());
                doAfterVisit(
                        new ChangeType(READ_WRITE_LOCK, "java.util.concurrent.locks.ReadWriteLock", true).getVisitor());
                doAfterVisit(new ChangeType(CLIENT, "io.github.lockstarter.LockOperations", true).getVisitor());
                return source;
            }

            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
                J.MethodInvocation visited = super.visitMethodInvocation(call, context);
                JavaType.Method method = call.getMethodType();
                return method != null && isOfRedissonOnly(method)
                        ? visited.withName(marked(visited.getName()))
                        : visited;
            }
        };
    }

    /** The methods that locks of the JDK have, too, are declared there. */
    private static boolean isOfRedissonOnly(JavaType.Method method) {
        return method.getDeclaringType().getFullyQualifiedName().startsWith("org.redisson.")
                && COMMON.stream().noneMatch(common -> common.matches(method));
    }
}
