package io.github.lockstarter.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Walks through a parsed key expression before it is ever evaluated, and refuses a name that no argument has and a
 * property that the class of an argument does not have. Whatever else the evaluation refuses fails the first call.
 *
 * <p>Only concrete classes are followed: a value of an interface or an abstract class may have more. A concrete class
 * may have a subclass with more too; a key that depends on the subclass would fail for the others.
 */
final class KeyExpressionCheck extends ReflectivePropertyAccessor {

    private final Map<String, Type> known;
    private final Set<String> used = new TreeSet<>();
    private final Set<Method> methods = new LinkedHashSet<>();

    /**
     * Checks an expression. One for all would keep the classes that it has seen.
     *
     * @param known declared types of the arguments, by their names
     * @throws IllegalArgumentException when it uses another name, or a property that does not exist; the message
     *     continues a sentence about the expression
     */
    KeyExpressionCheck(SpelNode expression, Map<String, Type> known) {
        this.known = known;
        walk(expression, false);
    }

    /** The names that the expression uses. */
    Set<String> usedNames() {
        return used;
    }

    /** What an evaluation reads by reflection, as far as the declared types tell. */
    Set<Method> methods() {
        return methods;
    }

    /** Checks a node, which may read properties without a {@code #} where it has a subject to read them from. */
    private void walk(SpelNode node, boolean hasSubject) {
        if (node instanceof VariableReference) {
            checkVariable(nameOf(node), hasSubject);
        } else if (!hasSubject && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw new IllegalArgumentException("uses '" + node.toStringAST() + "', which is not an argument; arguments "
                    + "begin with '#' and texts stand in quotes");
        } else if (node instanceof CompoundExpression) {
            checkPath(node);
        }
        boolean readsElements = node instanceof Projection || node instanceof Selection || node instanceof Indexer;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean isStep = node instanceof CompoundExpression && i > 0;
            walk(node.getChild(i), hasSubject || readsElements || isStep);
        }
    }

    private void checkVariable(String name, boolean hasSubject) {
        if (known.containsKey(name)) {
            used.add(name);
            read(known.get(name));
        } else if (!hasSubject || !(name.equals("this") || name.equals("root"))) {
            throw new IllegalArgumentException("uses '#" + name + "', which is not an argument");
        }
    }

    /** Follows the properties of an argument through their declared types. */
    private void checkPath(SpelNode path) {
        Class<?> type =
                path.getChild(0) instanceof VariableReference argument ? classOf(known.get(nameOf(argument))) : null;
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            type = path.getChild(i) instanceof PropertyOrFieldReference property
                    ? read(typeOf(property.getName(), type))
                    : null;
        }
    }

    private Type typeOf(String property, Class<?> type) {
        Method getter = findGetterForProperty(property, type, false);
        if (getter != null) {
            methods.add(getter);
            return getter.getGenericReturnType();
        }
        Field field = findField(property, type, false);
        if (field != null) {
            return field.getGenericType();
        }
        throw new IllegalArgumentException(
                "reads the property '" + property + "', which " + ClassUtils.getShortName(type) + " does not have");
    }

    /** Adds the methods that give a value of the type its text; gives the class as {@link #classOf}. */
    private @Nullable Class<?> read(@Nullable Type declared) {
        Class<?> type = classOf(declared);
        if (type != null) {
            KeyRenderer.methodsOf(type).filter(methods::add).forEach(method -> read(method.getGenericReturnType()));
        }
        return type;
    }

    /** The class that every value has or extends; null where a value may have more than its type declares. */
    private static @Nullable Class<?> classOf(@Nullable Type declared) {
        Type raw = declared instanceof ParameterizedType generic ? generic.getRawType() : declared;
        if (!(raw instanceof Class<?> boxed)) {
            return null;
        }
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(boxed);
        boolean mayHaveMore = Modifier.isAbstract(type.getModifiers())
                || type == Object.class
                || type == Optional.class
                || type.isArray()
                || Map.class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type);
        return mayHaveMore ? null : type;
    }

    private static String nameOf(SpelNode variable) {
        return variable.toStringAST().substring(1);
    }
}
