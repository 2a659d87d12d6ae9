package io.github.lockstarter.aop;

import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;

/** An operand of {@code +} that must not be null: SpEL would render {@code 'order:' + #id} as "order:null". */
final class NonNullOperand extends SpelNodeImpl {

    private final SpelNodeImpl operand;

    private NonNullOperand(SpelNodeImpl operand) {
        super(operand.getStartPosition(), operand.getEndPosition(), operand);
        this.operand = operand;
    }

    /** Copies an expression, with checked operands in each sum that determines its value. */
    static SpelNodeImpl inside(SpelNodeImpl node) {
        int start = node.getStartPosition();
        int end = node.getEndPosition();
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            return new OpPlus(start, end, strict(child(node, 0)), strict(child(node, 1)));
        }
        if (node instanceof Ternary) {
            return new Ternary(start, end, child(node, 0), inside(child(node, 1)), inside(child(node, 2)));
        }
        if (node instanceof Elvis) {
            return new Elvis(start, end, inside(child(node, 0)), inside(child(node, 1)));
        }
        return node;
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
            throw new IllegalArgumentException("has a part '" + operand.toStringAST() + "' that " + e.getMessage(), e);
        }
        return value;
    }

    @Override
    public String toStringAST() {
        return operand.toStringAST();
    }
}
