package io.github.lockstarter.rewrite;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.TypeUtils;

/** Replaces {@code @Lock4j} by {@code @DistributedLock}. */
public final class MigrateFromLock4j extends LockMigration {

    private static final String LOCK4J = "com.baomidou.lock.annotation.Lock4j";

    /** Creates the recipe, for OpenRewrite. */
    public MigrateFromLock4j() {}

    @Override
    public String getDisplayName() {
        return "Migrate from lock4j to lock-starter";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Lock4j` by `@DistributedLock`, and the dependency. If a use has no exact counterpart, it is"
                + " marked, and nothing else changes.";
    }

    @Override
    String lockTypes() {
        return "com.baomidou.lock..*";
    }

    @Override
    StarterDependency dependency() {
        return StarterDependency.inPlaceOf("com.baomidou", "lock4j-.*");
    }

    @Override
    LockTranslation translation(Users users) {
        return new LockTranslation("com.baomidou.lock.", Set.of(), users) {
            @Override
            public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
                return TypeUtils.isOfClassType(annotation.getType(), LOCK4J)
                        ? replaced(annotation, "io.github.lockstarter.DistributedLock", MigrateFromLock4j::attributes)
                        : super.visitAnnotation(annotation, context);
            }
        };
    }

    private static Map<String, Expression> attributes(Map<String, Expression> lock4j) {
        Map<String, Expression> attributes = new LinkedHashMap<>();
        lock4j.forEach((attribute, value) -> {
            switch (attribute) {
                case "name" -> attributes.put("name", StarterAnnotation.checkedName(value));
                case "keys" -> key(value).ifPresent(key -> attributes.put("key", key));
                case "acquireTimeout" -> attributes.put("maxWaitMs", value);
                case "expire" -> {
                    if (millis(value) < StarterAnnotation.LEASE.toMillis()) {
                        attributes.put("leaseMs", value);
                    }
                    attributes.put("maxHoldMs", value);
                }
                default -> throw new UntranslatableException(attribute + " has no exact counterpart");
            }
        });
        return attributes;
    }

    /** Joined as lock4j joins several: they are one lock. */
    private static Optional<Expression> key(Expression keys) {
        List<Expression> given = keys instanceof J.NewArray array
                ? Optional.ofNullable(array.getInitializer()).orElse(List.of())
                : List.of(keys);
        List<Expression> parts = given.stream()
                .filter(part ->
                        StarterAnnotation.text(part).filter(String::isEmpty).isEmpty())
                .toList();
        if (parts.size() < 2) {
            return parts.stream().findFirst();
        }
        String joined = parts.stream()
                .map(part -> StarterAnnotation.text(part)
                        .orElseThrow(() -> new UntranslatableException("write the keys as texts")))
                .map(text -> text.matches("#[\\w.]+") ? text : "(" + text + ")")
                .collect(Collectors.joining(" + '.' + "));
        return Optional.of(StarterAnnotation.literal(joined));
    }

    private static long millis(Expression time) {
        if (time instanceof J.Literal literal && literal.getValue() instanceof Number millis) {
            return millis.longValue();
        }
        throw new UntranslatableException("write expire as a number");
    }
}
