package io.github.lockstarter.aop;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Walks through a parsed key expression before it is ever evaluated: it may use arguments, their properties and their
 * methods, as far as their types tell that these exist, and nothing else.
 */
final class KeyExpressionCheck {

    /** What cannot be reached in the evaluation context of a key. */
    private static final Map<Class<? extends SpelNode>, String> FORBIDDEN = Map.of(
            TypeReference.class, "a type",
            ConstructorReference.class, "a constructor",
            BeanReference.class, "a bean",
            FunctionReference.class, "a function",
            Assign.class, "an assignment",
            OpInc.class, "an assignment",
            OpDec.class, "an assignment");

    private final Map<String, Type> known;
    private final Set<String> used = new TreeSet<>();

    private KeyExpressionCheck(Map<String, Type> known) {
        this.known = known;
    }

    /**
     * Checks an expression.
     *
     * @param known declared types of the arguments, by their names
     * @return the names that it uses
     * @throws IllegalArgumentException when it uses anything else; the message continues a sentence about the
     *     expression
     */
    static Set<String> usedNames(SpelNode expression, Map<String, Type> known) {
        KeyExpressionCheck check = new KeyExpressionCheck(known);
        check.walk(expression, Scope.CALL);
        return check.used;
    }

    /** What a name without a {@code #} refers to. */
    private enum Scope {
        /** Nothing. */
        CALL,
        /** The element of a selection or projection. */
        ELEMENT
    }

    private void walk(SpelNode node, Scope scope) {
        String forbidden = FORBIDDEN.get(node.getClass());
        if (forbidden != null) {
            throw new IllegalArgumentException(
                    "uses " + forbidden + " (" + node.toStringAST() + "), which a key cannot reach");
        }
        if (isArithmetic(node)) {
            checkNumbers(node);
        }
        if (node instanceof VariableReference) {
            checkVariable(nameOf(node), scope);
        } else if (node instanceof CompoundExpression) {
            walk(node.getChild(0), scope);
            for (int i = 1; i < node.getChildCount(); i++) {
                walkStep(node.getChild(i), scope);
            }
            checkPath(node);
        } else if (scope == Scope.CALL && isRelative(node)) {
            throw new IllegalArgumentException("uses '" + node.toStringAST() + "', which is not an argument; arguments "
                    + "begin with '#' and texts stand in quotes");
        } else {
            walkStep(node, scope);
        }
    }

    /** A node whose subject is known: the step before it, or its own children. */
    private void walkStep(SpelNode node, Scope scope) {
        Scope inner = node instanceof Projection || node instanceof Selection ? Scope.ELEMENT : scope;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean mapKey = node instanceof Indexer && child instanceof PropertyOrFieldReference;
            if (!mapKey) {
                walk(child, inner);
            }
        }
    }

    private void checkPath(SpelNode path) {
        SpelNode argument = path.getChild(0);
        Type type = argument instanceof VariableReference ? known.get(nameOf(argument)) : null;
        if (type != null) {
            KeyPathCheck.check(type, path);
        }
    }

    private static String nameOf(SpelNode variable) {
        return variable.toStringAST().substring(1);
    }

    private void checkVariable(String name, Scope scope) {
        if (scope == Scope.ELEMENT && (name.equals("this") || name.equals("root"))) {
            return;
        }
        if (!known.containsKey(name)) {
            throw new IllegalArgumentException("uses '#" + name + "', which is not an argument");
        }
        used.add(name);
    }

    private static boolean isArithmetic(SpelNode node) {
        return node instanceof OpModulus || node instanceof OpDivide || node instanceof OperatorPower;
    }

    private static void checkNumbers(SpelNode operation) {
        for (int i = 0; i < operation.getChildCount(); i++) {
            if (operation.getChild(i) instanceof StringLiteral text) {
                throw new IllegalArgumentException("computes with the text " + text.toStringAST()
                        + ", which is no number; the value of a property is always a text");
            }
        }
    }

    private static boolean isRelative(SpelNode node) {
        return node instanceof PropertyOrFieldReference
                || node instanceof MethodReference
                || node instanceof Indexer
                || node instanceof Projection
                || node instanceof Selection;
    }
}
