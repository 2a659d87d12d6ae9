package io.github.lockstarter.processor;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.util.Arrays;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.tools.Diagnostic;

/**
 * Finds calls of locked methods through {@code this}, and references to them, in each class that javac has analyzed:
 * only then it has resolved which method is called. A method may call itself, since its thread has the lock, and the
 * method that it overrides. {@code @SuppressWarnings("lock.selfInvocation")} accepts a call. Does not see that a
 * variable is {@code this}, or that a subclass locks the called method.
 */
final class SelfInvocationCheck extends TreePathScanner<Void, Void> implements TaskListener {

    private final Trees trees;
    private final DeclaredLocks locks;
    private final Diagnostic.Kind severity;

    private SelfInvocationCheck(Trees trees, DeclaredLocks locks, Diagnostic.Kind severity) {
        this.trees = trees;
        this.locks = locks;
        this.severity = severity;
    }

    /** @throws IllegalArgumentException if the compiler is not javac */
    static void addTo(ProcessingEnvironment compiler, DeclaredLocks locks, Diagnostic.Kind severity) {
        JavacTask.instance(compiler)
                .addTaskListener(new SelfInvocationCheck(Trees.instance(compiler), locks, severity));
    }

    @Override
    public void finished(TaskEvent event) {
        if (event.getKind() == TaskEvent.Kind.ANALYZE && event.getTypeElement() != null) {
            TreePath type = trees.getPath(event.getTypeElement());
            if (type != null) {
                scan(type, null);
            }
        }
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
        ExpressionTree method = call.getMethodSelect();
        if (method instanceof IdentifierTree
                || (method instanceof MemberSelectTree select && isThis(select.getExpression()))) {
            check(new TreePath(getCurrentPath(), method));
        }
        return super.visitMethodInvocation(call, null);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree reference, Void none) {
        if (isThis(reference.getQualifierExpression())) {
            check(getCurrentPath());
        }
        return super.visitMemberReference(reference, null);
    }

    /** {@return whether the expression is {@code this}, {@code super}, or that of an outer class} */
    private static boolean isThis(Tree receiver) {
        if (receiver instanceof ParenthesizedTree parentheses) {
            return isThis(parentheses.getExpression());
        }
        if (receiver instanceof TypeCastTree cast) {
            return isThis(cast.getExpression());
        }
        return (receiver instanceof IdentifierTree name && isThis(name.getName()))
                || (receiver instanceof MemberSelectTree select && isThis(select.getIdentifier()));
    }

    private static boolean isThis(CharSequence name) {
        return "this".contentEquals(name) || "super".contentEquals(name);
    }

    private void check(TreePath path) {
        if (trees.getElement(path) instanceof ExecutableElement called
                && !called.getModifiers().contains(Modifier.STATIC)
                && !called.getModifiers().contains(Modifier.PRIVATE)
                && locks.annotation(called, DeclaredLocks.declaring(called)).isPresent()
                && !isAccepted(path, called)) {
            trees.printMessage(
                    severity,
                    locks.describe(called, DeclaredLocks.declaring(called))
                            + " cannot take effect here: a call through 'this' bypasses the proxy. "
                            + "Call the method on a bean from another class, or use LockTemplate.",
                    path.getLeaf(),
                    path.getCompilationUnit());
        }
    }

    private boolean isAccepted(TreePath call, ExecutableElement called) {
        boolean inBody = true;
        for (TreePath path = call; path != null; path = path.getParentPath()) {
            Tree tree = path.getLeaf();
            if (tree instanceof MethodTree || tree instanceof ClassTree || tree instanceof VariableTree) {
                Element element = trees.getElement(path);
                if (isSuppressed(element)
                        || (inBody
                                && element instanceof ExecutableElement caller
                                && locks.isSameCall(caller, called))) {
                    return true;
                }
                inBody &= tree instanceof VariableTree;
            }
        }
        return false;
    }

    private static boolean isSuppressed(Element element) {
        SuppressWarnings suppressed = element == null ? null : element.getAnnotation(SuppressWarnings.class);
        return suppressed != null && Arrays.asList(suppressed.value()).contains(LockAnnotationProcessor.OPTION);
    }
}
