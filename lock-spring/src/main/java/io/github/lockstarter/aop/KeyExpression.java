package io.github.lockstarter.aop;

import io.github.lockstarter.aop.KeyRenderer.NoTextException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * One key expression of one method, parsed and checked. Sees the arguments it names and what can be read from them: no
 * types, constructors, beans or assignments. Immutable, thread-safe.
 */
final class KeyExpression {

    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();
    private static final SpelExpressionParser PARSER = new SpelExpressionParser(CONFIGURATION);

    private final String description;
    private final Expression expression;
    private final Map<String, Integer> positions;
    private final Set<Method> methods;

    /** Not static, since the accessor keeps the classes of the arguments, which the application may unload. */
    private final SimpleEvaluationContext.Builder contexts = SimpleEvaluationContext.forPropertyAccessors(
                    DataBindingPropertyAccessor.forReadOnlyAccess())
            .withInstanceMethods()
            .withAssignmentDisabled();

    private KeyExpression(
            String description, Expression expression, Map<String, Integer> positions, Set<Method> methods) {
        this.description = description;
        this.expression = expression;
        this.positions = positions;
        this.methods = methods;
    }

    /**
     * Parses and checks an expression.
     *
     * @param placeholders puts the values of properties into the expression
     * @throws InvalidLockDeclarationException when it cannot be parsed, or refers to an argument or a property that
     *     does not exist
     */
    static KeyExpression parse(String text, Method method, KeyParameters parameters, Placeholders placeholders) {
        if (text.isBlank()) {
            throw new InvalidLockDeclarationException(
                    method,
                    "key expression '" + text + "' is blank.",
                    "Leave the key out for one lock over all calls.");
        }
        Map<String, Integer> known = parameters.positions();
        try {
            String resolved = placeholders.resolve("key", text);
            SpelNodeImpl root = (SpelNodeImpl) PARSER.parseRaw(resolved).getAST();
            KeyExpressionCheck checked = new KeyExpressionCheck(root, parameters.types(method));
            return new KeyExpression(
                    "Key expression '" + text + "' of " + InvalidLockDeclarationException.describe(method),
                    new SpelExpression(resolved, NonNullOperand.inside(root), CONFIGURATION),
                    checked.usedNames().stream()
                            .collect(Collectors.toMap(name -> name, known::get, (a, b) -> a, TreeMap::new)),
                    checked.methods());
        } catch (ParseException | IllegalStateException e) {
            throw new InvalidLockDeclarationException(
                    method,
                    "key expression '" + text + "' is not SpEL: " + e.getMessage(),
                    "Correct it. An argument is '#name', a fixed text stands in single quotes.");
        } catch (IllegalArgumentException e) {
            throw new InvalidLockDeclarationException(
                    method, "key expression '" + text + "' " + e.getMessage() + ".", parameters.advice());
        }
    }

    /** What an evaluation reads by reflection, as far as the declared types tell. */
    Set<Method> methods() {
        return methods;
    }

    /**
     * The key of one call.
     *
     * @throws IllegalArgumentException when the value is null, blank, or has no text; names expression and method
     */
    String evaluate(@Nullable Object[] arguments) {
        SimpleEvaluationContext context = contexts.build();
        positions.forEach((name, position) -> context.setVariable(name, arguments[position]));
        try {
            return KeyRenderer.of(expression.getValue(context));
        } catch (EvaluationException e) {
            throw failed("cannot be evaluated: " + e.getMessage(), e);
        } catch (NoTextException e) {
            throw failed(e.getMessage(), null); // says the same, and has no cause itself
        } catch (IllegalArgumentException e) {
            throw failed(e.getMessage(), e);
        }
    }

    private IllegalArgumentException failed(@Nullable String why, @Nullable Exception cause) {
        return new IllegalArgumentException(
                description + " " + why + ". The method did not run; pass arguments that identify what to lock", cause);
    }
}
