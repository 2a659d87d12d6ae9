package io.github.lockstarter.aop;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Follows the properties of an argument through their declared types, and refuses one that a type does not have. Only
 * concrete classes are followed: a value of an interface or an abstract class may have more. A concrete class may have
 * a subclass with more too; a key that depends on the subclass would fail for the others.
 */
final class KeyPathCheck extends ReflectivePropertyAccessor {

    private KeyPathCheck() {}

    /**
     * Follows one path.
     *
     * @param declared type of the first step, an argument
     * @param path the argument and what is read of it, step by step
     * @throws IllegalArgumentException when a type does not have what is read; the message continues a sentence about
     *     the expression
     */
    static void check(Type declared, SpelNode path) {
        KeyPathCheck properties = new KeyPathCheck(); // a static one would keep the classes it has seen
        Class<?> type = knownType(declared);
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            SpelNode step = path.getChild(i);
            if (step instanceof PropertyOrFieldReference property) {
                type = knownType(properties.typeOf(property.getName(), type, textUpTo(path, i)));
            } else {
                if (step instanceof MethodReference method) {
                    checkMethod(method.getName(), type, textUpTo(path, i));
                }
                type = null;
            }
        }
    }

    private Type typeOf(String property, Class<?> type, String read) {
        Method getter = findGetterForProperty(property, type, false);
        if (getter != null) {
            return getter.getGenericReturnType();
        }
        Field field = findField(property, type, false);
        if (field != null) {
            return field.getGenericType();
        }
        throw new IllegalArgumentException("reads '" + read + "', and " + ClassUtils.getShortName(type)
                + " has no property '" + property + "'" + propertiesOf(type));
    }

    private static void checkMethod(String name, Class<?> type, String called) {
        if (Arrays.stream(type.getMethods())
                .noneMatch(method -> method.getName().equals(name))) {
            throw new IllegalArgumentException("calls '" + called + "', and " + ClassUtils.getShortName(type)
                    + " has no public method '" + name + "'");
        }
    }

    /**
     * The class of every value, or one that every value extends; null where a value may have more than its type
     * declares.
     */
    private static @Nullable Class<?> knownType(Type declared) {
        Type raw = declared instanceof ParameterizedType generic ? generic.getRawType() : declared;
        if (!(raw instanceof Class<?> boxed)) {
            return null;
        }
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(boxed);
        boolean isKnown = !Modifier.isAbstract(type.getModifiers())
                && type != Object.class
                && type != Optional.class
                && !type.isArray()
                && !Map.class.isAssignableFrom(type)
                && !Collection.class.isAssignableFrom(type);
        return isKnown ? type : null;
    }

    private static String textUpTo(SpelNode path, int last) {
        StringBuilder text = new StringBuilder(path.getChild(0).toStringAST());
        for (int i = 1; i <= last; i++) {
            text.append('.').append(path.getChild(i).toStringAST());
        }
        return text.toString();
    }

    private static String propertiesOf(Class<?> type) {
        Stream<String> names = type.isRecord()
                ? Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName)
                : Arrays.stream(BeanUtils.getPropertyDescriptors(type))
                        .filter(property -> property.getReadMethod() != null)
                        .map(PropertyDescriptor::getName)
                        .filter(name -> !name.equals("class"));
        String text = names.distinct().sorted().limit(10).collect(Collectors.joining(", "));
        return text.isEmpty() ? "" : " (it has " + text + ")";
    }
}
