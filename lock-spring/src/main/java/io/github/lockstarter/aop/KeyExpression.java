package io.github.lockstarter.aop;

import io.github.lockstarter.EmptyKeys;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A checked key expression over the arguments, their properties and methods; types, constructors, beans and assignments
 * are unavailable. Thread-safe.
 */
final class KeyExpression {

    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();
    private static final SpelExpressionParser PARSER = new SpelExpressionParser(CONFIGURATION);

    /** In a message of Spring. */
    private static final Pattern PROPERTY_OF_A_MAP =
            Pattern.compile("'(\\w+)' cannot be found on object of type 'java\\.util\\.[\\w.$]*Map\\w?'");

    private final String description;
    private final SpelExpression expression;
    private final Map<String, Integer> positions;

    /** Not static: the accessor caches argument classes, which the application may unload. */
    private final SimpleEvaluationContext.Builder contexts = SimpleEvaluationContext.forPropertyAccessors(
                    DataBindingPropertyAccessor.forReadOnlyAccess())
            .withMethodResolvers(new Methods())
            .withAssignmentDisabled();

    private KeyExpression(String description, SpelExpression expression, Map<String, Integer> positions) {
        this.description = description;
        this.expression = expression;
        this.positions = positions;
    }

    static KeyExpression parse(String text, Method method, KeyParameters parameters, Placeholders placeholders) {
        if (text.isBlank()) {
            throw new LockStartException(
                    method, "key expression '" + text + "' is blank.", "Remove the key to use one lock for all calls.");
        }
        try {
            String resolved = placeholders.resolve("key", text);
            SpelNodeImpl root = (SpelNodeImpl) PARSER.parseRaw(resolved).getAST();
            Map<String, Integer> used = new TreeMap<>();
            collect(root, false, parameters.positions(), used);
            return new KeyExpression(
                    "Key expression '" + text + "' of " + LockStartException.describe(method),
                    new SpelExpression(resolved, NonNullOperand.inside(root), CONFIGURATION),
                    used);
        } catch (ParseException | IllegalStateException e) {
            throw new LockStartException(
                    method,
                    "key expression '" + text + "' is not SpEL: " + e.getMessage(),
                    "Correct it. An argument is '#name', a fixed text stands in single quotes.");
        } catch (IllegalArgumentException e) {
            throw new LockStartException(
                    method, "key expression '" + text + "' " + e.getMessage() + ".", parameters.advice());
        }
    }

    /**
     * Collects the used arguments and rejects unknown names. Other errors appear when a call evaluates the key.
     *
     * @param hasSubject whether a name without {@code #} is a property, such as one of an element
     */
    private static void collect(
            SpelNode node, boolean hasSubject, Map<String, Integer> known, Map<String, Integer> used) {
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            Integer position = known.get(name);
            if (position != null) {
                used.put(name, position);
            } else if (!hasSubject || !(name.equals("this") || name.equals("root"))) {
                throw new IllegalArgumentException("uses '#" + name + "', which is not an argument");
            }
        } else if (!hasSubject && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw new IllegalArgumentException("uses '" + node.toStringAST() + "', which is not an argument; arguments "
                    + "begin with '#' and texts stand in quotes");
        }
        boolean readsElements = node instanceof Projection || node instanceof Selection || node instanceof Indexer;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean step = node instanceof CompoundExpression && i > 0;
            collect(node.getChild(i), hasSubject || readsElements || step, known, used);
        }
    }

    /**
     * Whether each value is a list, as far as the expression shows it.
     *
     * @param types of the arguments
     */
    boolean isList(Class<?>[] types) {
        SpelNode root = expression.getAST();
        SpelNode value = root instanceof CompoundExpression ? root.getChild(root.getChildCount() - 1) : root;
        return value instanceof Projection
                || value instanceof InlineList
                || (value instanceof VariableReference
                        && positions().stream().allMatch(position -> KeyRenderer.isListType(types[position])));
    }

    /** With placeholders resolved. */
    String text() {
        return expression.getExpressionString();
    }

    Collection<Integer> positions() {
        return positions.values();
    }

    /**
     * {@return the keys of a call, several or none for a list}
     *
     * @throws IllegalArgumentException if the value is null, blank or has no text of its own, or an element is or has;
     *     if there is none, unless that is accepted
     */
    List<String> evaluate(@Nullable Object[] arguments, EmptyKeys ifEmpty) {
        SimpleEvaluationContext context = contexts.build();
        positions.forEach((name, position) -> context.setVariable(name, arguments[position]));
        try {
            List<String> keys = KeyRenderer.allOf(expression.getValue(context));
            if (keys.isEmpty() && ifEmpty == EmptyKeys.REFUSE) {
                throw new IllegalArgumentException("is an empty list, which locks nothing (emptyKeys = REFUSE)");
            }
            return keys;
        } catch (EvaluationException e) {
            throw failed("cannot be evaluated: " + reasonOf(e), e);
        } catch (IllegalArgumentException e) {
            throw failed(e.getMessage(), e);
        }
    }

    private static String reasonOf(EvaluationException failure) {
        String said = String.valueOf(failure.getMessage());
        Matcher map = PROPERTY_OF_A_MAP.matcher(said);
        return map.find() ? "a Map has no property '" + map.group(1) + "'; write ['" + map.group(1) + "']" : said;
    }

    private IllegalArgumentException failed(@Nullable String why, Exception cause) {
        return new IllegalArgumentException(
                description + " " + why + ". The method did not run; pass arguments that identify the locked object",
                cause);
    }

    /**
     * Instance methods, except those that make a text of a list: its {@code toString}, and {@code formatted} and the
     * like of a text. Spring caches what a subclass of its own resolver finds.
     */
    private static final class Methods extends ReflectiveMethodResolver {

        private final MethodResolver methods = DataBindingMethodResolver.forInstanceMethodInvocation();

        @Override
        public @Nullable MethodExecutor resolve(
                EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments)
                throws AccessException {
            if (name.equals("toString")) {
                KeyRenderer.checkNoElements(target.getClass());
            }
            if (target instanceof CharSequence) {
                if (name.equals("formatted") && arguments.stream().anyMatch(Objects::isNull)) {
                    throw new IllegalArgumentException("formats a null");
                }
                arguments.stream()
                        .filter(Objects::nonNull) // the type of null
                        .forEach(argument -> KeyRenderer.checkNoElements(argument.getType()));
            }
            return methods.resolve(context, target, name, arguments);
        }
    }

    /** An operand of {@code +} that must not be null: SpEL would render {@code 'order:' + #id} as "order:null". */
    private static final class NonNullOperand extends SpelNodeImpl {

        private final SpelNodeImpl operand;

        private NonNullOperand(SpelNodeImpl operand) {
            super(operand.getStartPosition(), operand.getEndPosition(), operand);
            this.operand = operand;
        }

        /**
         * Copies an expression, with checked operands in each sum whose text can become part of its value. A condition
         * is none: it only chooses.
         */
        static SpelNodeImpl inside(SpelNodeImpl node) {
            int start = node.getStartPosition();
            int end = node.getEndPosition();
            if (node instanceof OpPlus && node.getChildCount() == 2) {
                return new OpPlus(start, end, strict(child(node, 0)), strict(child(node, 1)));
            }
            if (node instanceof Ternary) {
                return new Ternary(start, end, child(node, 0), inside(child(node, 1)), inside(child(node, 2)));
            }
            if (node instanceof Projection projection) {
                return new Projection(projection.isNullSafe(), start, end, inside(child(node, 0)));
            }
            if (node instanceof Indexer indexer) {
                return new Indexer(indexer.isNullSafe(), start, end, inside(child(node, 0)));
            }
            if (node instanceof MethodReference method) {
                return new MethodReference(method.isNullSafe(), method.getName(), start, end, insideEach(node));
            }
            if (node instanceof CompoundExpression) {
                return new CompoundExpression(start, end, insideEach(node));
            }
            if (node instanceof Elvis) {
                return new Elvis(start, end, inside(child(node, 0)), inside(child(node, 1)));
            }
            if (node instanceof InlineList) {
                return new InlineList(start, end, insideEach(node));
            }
            if (node instanceof InlineMap) {
                return new InlineMap(start, end, insideEach(node));
            }
            if (node instanceof OpMultiply) { // repeats a text
                return new OpMultiply(start, end, insideEach(node));
            }
            return node;
        }

        private static SpelNodeImpl[] insideEach(SpelNodeImpl node) {
            return IntStream.range(0, node.getChildCount())
                    .mapToObj(i -> inside(child(node, i)))
                    .toArray(SpelNodeImpl[]::new);
        }

        private static SpelNodeImpl strict(SpelNodeImpl node) {
            return new NonNullOperand(inside(node));
        }

        private static SpelNodeImpl child(SpelNodeImpl node, int index) {
            return (SpelNodeImpl) node.getChild(index);
        }

        @Override
        public TypedValue getValueInternal(ExpressionState state) {
            TypedValue value = operand.getValueInternal(state);
            try {
                KeyRenderer.checkedText(value.getValue());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "has a part '" + operand.toStringAST() + "' that " + e.getMessage(), e);
            }
            return value;
        }

        @Override
        public String toStringAST() {
            return operand.toStringAST();
        }
    }
}
